import { describe, expect, it } from 'vitest'
import type { WorkOutcome } from '../../../src/host/journal/journal.ts'
import { limits } from '../../../src/host/work/limits.ts'
import type { WorkCommand } from '../../../src/host/work/work-events.ts'
import { DAY, WorkMonitor, item, settings } from './work-monitor.ts'

const types = (commands: readonly WorkCommand[]): string[] =>
  commands.map(({ type }) => type).filter((type) => !type.endsWith('-timer'))

const failed = { how: 'failed', error: 'no' } as const

describe('after-call work that failed', () => {
  it('[HO17] waits with full jitter, from a second to an hour', () => {
    const delay = (attempt: number, jitter: number): number => {
      const monitor = new WorkMonitor()
      monitor.jitter = jitter
      const outcome = monitor.outcomeOf(item('k', attempt), failed)
      return outcome.state === 'waiting' ? outcome.delay : -1
    }
    expect([1, 2, 3, 10, 12, 13, 100, 5_000].map((attempt) => delay(attempt, 0.999_999))).toEqual([
      1_000, 2_000, 4_000, 511_999, 2_047_998, 3_599_996, 3_599_996, 3_599_996,
    ])
    expect(delay(3, 0)).toBe(0)
    expect(delay(3, 0.5)).toBe(2_000)
  })

  it('[HO17] is dead three days after it fell due, and not before its tenth attempt', () => {
    const state = (attempt: number, age: number): string =>
      new WorkMonitor().outcomeOf(item('k', attempt, { age }), failed).state
    expect(state(80, 3 * DAY - 1)).toBe('waiting')
    expect(state(80, 3 * DAY)).toBe('dead')
    // The host was down for a week, or its clock is wrong.
    expect(state(1, 7 * DAY)).toBe('waiting')
    expect(state(9, 7 * DAY)).toBe('waiting')
    expect(state(10, 7 * DAY)).toBe('dead')
  })

  it('[HO17] counts the time that the handler took', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k', 80, { age: 3 * DAY - 1_000 })])
    monitor.now += 1_000
    monitor.ended(1, failed)
    expect(monitor.settling.get(1)?.outcome.state).toBe('dead')
  })

  it('[HO17] is dead at once if the handler says that it can never succeed', () => {
    const outcome = new WorkMonitor().outcomeOf(item('k'), { how: 'unrecoverable', error: 'gone' })
    expect(outcome).toEqual({ state: 'dead', error: 'gone' })
  })

  it('[HO17] waits for as long as the handler asks, and for an hour at most', () => {
    const delay = (asked: number): WorkOutcome =>
      new WorkMonitor().outcomeOf(item('k'), { how: 'failed', error: 'no', delay: asked })
    expect(delay(120_000)).toMatchObject({ delay: 120_000 })
    expect(delay(0)).toMatchObject({ delay: 500 })
    expect(delay(60_000.4)).toMatchObject({ delay: 60_000 })
    expect(delay(Number.POSITIVE_INFINITY)).toMatchObject({ delay: 3_600_000 })
  })
})

describe('after-call work without a handler', () => {
  it('[HO17] waits and says so, and is never dead', () => {
    for (const attempt of [1, 5, 1_000]) {
      const monitor = new WorkMonitor()
      monitor.handle({ type: 'wake' })
      const commands = monitor.claimed([item('k', attempt, { known: false, age: 30 * DAY })])
      expect(types(commands)).toEqual(['settle'])
      const outcome = monitor.settling.get(1)?.outcome
      expect(outcome).toMatchObject({
        state: 'waiting',
        error: "NO_SUCH_HANDLER: the agent file has no after-call handler 'save'",
      })
      const delay = outcome?.state === 'waiting' ? outcome.delay : 0
      expect(delay).toBeGreaterThanOrEqual(15_000)
      expect(delay).toBeLessThanOrEqual(3_600_000)
    }
  })
})

describe('the claims of after-call work', () => {
  it('[HO16] ask for as much as there is room for, and for more when a place becomes free', () => {
    const monitor = new WorkMonitor()
    expect(monitor.handle({ type: 'wake' })).toEqual([{ type: 'claim', limit: 3 }])
    monitor.claimed([item('a'), item('b'), item('c')])
    expect(types(monitor.handle({ type: 'wake' }))).toEqual([])
    expect(types(monitor.ended(2, { how: 'done' }))).toEqual(['settle'])
    expect(monitor.settled(2)).toContainEqual({ type: 'claim', limit: 1 })
  })

  it('happen when something wakes the machine, and when the journal says that more is due', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([], 5_000)
    expect([...monitor.timers]).toEqual([['claim', 5_000]])
    monitor.now = 100
    expect(types(monitor.handle({ type: 'wake' }))).toEqual(['claim'])
    monitor.claimed([])
    expect([...monitor.timers]).toEqual([['claim', 100 + limits.recheck]])
  })

  it('are repeated after a wake that came while one was under way', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.handle({ type: 'wake' })
    monitor.handle({ type: 'wake' })
    expect(types(monitor.claimed([]))).toEqual(['claim'])
    expect(types(monitor.claimed([]))).toEqual([])
  })

  it('pause if the journal says that work is due and hands out none', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([], 0)
    expect([...monitor.timers]).toEqual([['claim', limits.idleDelay]])
  })

  it('know when work that failed here is due again', () => {
    const monitor = new WorkMonitor()
    monitor.outcomeOf(item('k', 4), failed)
    expect([...monitor.timers]).toEqual([['claim', 4_000]])
  })

  it('[HO18] wait longer and longer while the journal fails, however often something wakes the machine', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    const delays = [1, 2, 3, 4, 5, 6, 7].map(() => {
      monitor.claiming = undefined
      monitor.handle({ type: 'claim-failed' })
      expect(types(monitor.handle({ type: 'wake' }))).toEqual([])
      const before = monitor.now
      monitor.fire()
      return monitor.now - before
    })
    expect(delays).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500])
  })
})

describe('an attempt at after-call work', () => {
  it('[HO16] is cancelled when its time is up, then abandoned, and counts as failed', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k', 3)])
    monitor.fireUntil(() => monitor.cancelled.size > 0)
    expect([monitor.now, monitor.cancelled.get(1)]).toEqual([60_000, 'timeout'])
    expect(monitor.settling.size).toBe(0)
    monitor.fireUntil(() => monitor.abandoned.size > 0)
    expect(monitor.now).toBe(61_000)
    expect(monitor.settling.get(1)?.outcome).toMatchObject({
      state: 'waiting',
      error: 'AFTER_CALL_TIMEOUT: the handler took longer than 60000 ms',
    })
    // Its place is free once that is written, and its late result changes nothing.
    expect(types(monitor.settled(1))).toEqual([])
    expect(types(monitor.ended(1, { how: 'done' }))).toEqual([])
  })

  it('[HO16] is done if it succeeds right after its time is up', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k')])
    monitor.now = 60_000
    monitor.handle({ type: 'wake' })
    expect(monitor.cancelled.get(1)).toBe('timeout')
    monitor.ended(1, { how: 'done' })
    expect(monitor.settling.get(1)?.outcome).toEqual({ state: 'done' })
  })

  it('[HO16] leaves its place to others when it is abandoned, until too many of them still run', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    for (let round = 0; round < 200 && monitor.claiming !== undefined; round++) {
      monitor.claimed(Array.from({ length: monitor.claiming }, (_, n) => item(`${round}.${n}`)))
      monitor.now += 60_000
      monitor.handle({ type: 'wake' })
      monitor.now += 1_000
      monitor.handle({ type: 'wake' })
      for (const attempt of monitor.settling.keys()) monitor.settled(attempt)
    }
    expect(monitor.abandoned.size).toBe(limits.abandoned + settings.concurrency)
    monitor.ended([...monitor.abandoned][0]!, failed)
    expect(monitor.claiming).toBe(1)
  })

  it('[HO18] is renewed every third of its lease', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('a'), item('b')], 1_000_000)
    const at: number[] = []
    for (let fired = 0; fired < 3; fired++) {
      monitor.fire()
      if (!monitor.renewing) continue
      expect(monitor.renewing.map(({ key }) => key)).toEqual(['a', 'b'])
      at.push(monitor.now)
      monitor.renewed(['a', 'b'])
    }
    expect(at).toEqual([10_000, 20_000, 30_000])
  })

  it('[HO18] is cancelled when its claim is lost, and its outcome is not written', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('a'), item('b')])
    monitor.now = 10_000
    monitor.handle({ type: 'wake' })
    monitor.renewed(['b'])
    expect([...monitor.cancelled]).toEqual([[1, 'lost']])
    expect(types(monitor.ended(1, { how: 'done' }))).toEqual([])
    expect(types(monitor.ended(2, { how: 'done' }))).toEqual(['settle'])
  })

  it('[HO18] goes on if its own process gets its work again after the claim had run out', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k', 1)])
    monitor.now = 40_000
    monitor.handle({ type: 'wake' })
    expect(types(monitor.claimed([item('k', 2)]))).toEqual([])
    // The answer to a renewal of the old claim does not count.
    expect(types(monitor.renewed([]))).toEqual([])
    monitor.ended(1, { how: 'done' })
    expect(monitor.settling.get(1)).toMatchObject({ fence: 2, outcome: { state: 'done' } })
  })

  it('[HO18] writes its outcome under the new fence if its process gets its work again meanwhile', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k', 1)])
    monitor.ended(1, { how: 'done' })
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k', 2)])
    expect(monitor.settling.get(1)?.fence).toBe(1)
    expect(types(monitor.settled(1, false))).toEqual(['settle'])
    expect(monitor.settling.get(1)?.fence).toBe(2)
  })

  it('[HO18] gives up its outcome if the claim was lost before the journal took it', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k')], 1_000_000)
    monitor.now = 9_900
    monitor.ended(1, { how: 'done' })
    monitor.settleFailed(1)
    monitor.fire()
    expect(monitor.now).toBe(10_000)
    monitor.renewed([])
    expect(monitor.machine.state.attempts.size).toBe(0)
    monitor.now = 60_000
    expect(types(monitor.handle({ type: 'wake' }))).toEqual(['claim'])
  })

  it('[HO18] writes its outcome again until the journal takes it', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k')])
    monitor.ended(1, { how: 'done' })
    for (let round = 0; round < 50; round++) {
      monitor.settleFailed(1)
      const before = monitor.now
      monitor.fireUntil(() => monitor.settling.has(1))
      expect(monitor.now - before).toBeLessThanOrEqual(limits.journalLongestDelay)
    }
    monitor.settled(1)
    expect(monitor.outcomes).toEqual([{ key: 'k', outcome: { state: 'done' } }])
    expect(monitor.machine.state.attempts.size).toBe(0)
  })
})

describe('the close of after-call work', () => {
  it('[HO18] claims nothing more, lets handlers finish, and releases what is left', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('a')], 0)
    expect(monitor.claiming).toBe(2)
    monitor.close()
    expect(types(monitor.claimed([item('b')]))).toEqual([])
    expect(types(monitor.handle({ type: 'wake' }))).toEqual([])
    expect(types(monitor.ended(1, { how: 'done' }))).toEqual(['settle'])
    expect(types(monitor.settled(1))).toEqual(['release'])
    expect(types(monitor.handle({ type: 'released' }))).toEqual(['stopped'])
  })

  it('[HO18] waits for a claim that is under way, and not if there is no more time', () => {
    const [patient, hurried] = [new WorkMonitor(), new WorkMonitor()]
    for (const monitor of [patient, hurried]) {
      monitor.handle({ type: 'wake' })
      expect(types(monitor.close())).toEqual([])
    }
    expect(types(patient.claimed([item('a')]))).toEqual(['release'])
    expect(types(hurried.close('hurry'))).toEqual(['release'])
  })

  it('[HO18] abandons a handler sooner that was cancelled before there was no more time', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('k')], 1_000_000)
    monitor.now = 60_000
    monitor.close()
    expect(monitor.cancelled.get(1)).toBe('timeout')
    monitor.close('hurry')
    monitor.now += limits.closeGrace
    expect(types(monitor.handle({ type: 'wake' }))).toContain('abandon')
  })

  it('[HO18] cancels handlers when there is no more time, and leaves their work to others', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('a'), item('b'), item('c')])
    monitor.close()
    monitor.close('hurry')
    expect([...monitor.cancelled.values()]).toEqual(['closing', 'closing', 'closing'])
    expect(types(monitor.ended(1, failed))).toEqual([])
    expect(types(monitor.ended(2, { how: 'done' }))).toEqual(['settle'])
    expect(types(monitor.settled(2))).toEqual([])
    monitor.fireUntil(() => monitor.releasing)
    expect([monitor.now, [...monitor.abandoned]]).toEqual([limits.closeGrace, [3]])
  })

  it('[HO18] gives up outcomes that the journal does not take when there is no more time', () => {
    const monitor = new WorkMonitor()
    monitor.handle({ type: 'wake' })
    monitor.claimed([item('a'), item('b')])
    monitor.ended(1, { how: 'done' })
    monitor.ended(2, { how: 'done' })
    monitor.settleFailed(1)
    monitor.close()
    expect(monitor.releasing).toBe(false)
    expect(types(monitor.close('hurry'))).toEqual([])
    expect(types(monitor.settleFailed(2))).toEqual(['release'])
  })
})
