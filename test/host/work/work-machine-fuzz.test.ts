import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HandlerResult } from '../../../src/host/work/work-events.ts'
import { DAY, WorkMonitor, item, must } from './work-monitor.ts'

describe('the machine of after-call work', () => {
  const result: fc.Arbitrary<HandlerResult> = fc.constantFrom<HandlerResult>(
    { how: 'done' },
    { how: 'failed', error: 'no' },
    { how: 'failed', error: 'no', delay: 5_000 },
    { how: 'unrecoverable', error: 'never' },
  )
  const move = fc.record({
    what: fc.constantFrom(
      ...(['wake', 'claim', 'claim', 'claim-fails', 'renew', 'renew-fails', 'end', 'end', 'settle'] as const),
      ...(['settle', 'settle-fails', 'refused', 'fire', 'fire', 'fire', 'late', 'close', 'hurry'] as const),
      'release' as const,
    ),
    which: fc.nat({ max: 20 }),
    result,
    jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
    known: fc.boolean(),
    again: fc.boolean(),
  })
  type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never

  /** Does what fits, and nothing otherwise. */
  function make(
    monitor: WorkMonitor,
    { what, which, result: ending, known, again }: Move,
    fresh: () => string,
  ): void {
    const pick = <T>(from: Iterable<T>): T | undefined => {
      const all = [...from]
      return all[which % Math.max(1, all.length)]
    }
    const handler = pick(monitor.running.keys())
    const outcome = pick(monitor.settling.keys())
    switch (what) {
      case 'wake':
        return void monitor.handle({ type: 'wake' })
      case 'claim': {
        if (monitor.claiming === undefined) return undefined
        const held = again ? pick(monitor.running.values()) : undefined
        const items = Array.from({ length: Math.min(which % 5, monitor.claiming) }, (_, n) =>
          held && n === 0
            ? { work: { ...held, fence: held.fence + 100 + which }, age: 0, known: true }
            : item(fresh(), 1 + (which % 12), { known, age: which * DAY }),
        )
        return void monitor.claimed(items, again ? which * 100 : undefined)
      }
      case 'claim-fails':
        if (monitor.claiming === undefined) return undefined
        monitor.claiming = undefined
        return void monitor.handle({ type: 'claim-failed' })
      case 'renew': {
        if (!monitor.renewing) return undefined
        const keys = monitor.renewing.map(({ key }) => key)
        return void monitor.renewed(again ? keys : keys.filter((_, index) => index !== which % 3))
      }
      case 'renew-fails':
        if (!monitor.renewing) return undefined
        monitor.renewing = undefined
        return void monitor.handle({ type: 'renew-failed' })
      case 'end':
        return handler === undefined ? undefined : void monitor.ended(handler, ending)
      case 'settle':
        return outcome === undefined ? undefined : void monitor.settled(outcome)
      case 'refused':
        return outcome === undefined ? undefined : void monitor.settled(outcome, false)
      case 'settle-fails':
        return outcome === undefined ? undefined : void monitor.settleFailed(outcome)
      case 'fire':
        return void monitor.fire()
      case 'late':
        monitor.now += which * 1_000
        return undefined
      case 'close':
      case 'hurry':
        // Rarely: most of a life is spent open.
        return which === 0 ? void monitor.close(what) : undefined
      case 'release':
        return monitor.releasing && !monitor.stopped ? void monitor.handle({ type: 'released' }) : undefined
    }
  }

  /** Lets everything that is under way succeed, until nothing is left to do. */
  function comeToRest(monitor: WorkMonitor): void {
    for (let round = 0; round < 1_000; round++) {
      for (const attempt of monitor.running.keys()) monitor.ended(attempt, { how: 'done' })
      for (const attempt of monitor.settling.keys()) monitor.settled(attempt)
      if (monitor.renewing) monitor.renewed(monitor.renewing.map(({ key }) => key))
      if (monitor.claiming !== undefined) monitor.claimed([])
      if (monitor.releasing && !monitor.stopped) monitor.handle({ type: 'released' })
      if (monitor.stopped || monitor.machine.state.attempts.size === 0) return
      monitor.fire()
    }
    throw new Error('does not come to rest')
  }

  it('[HO16] [HO18] keeps its rules whatever happens, and always comes to rest', () => {
    let lives = 0
    fc.assert(
      fc.property(fc.array(move, { maxLength: 120, size: 'max' }), (moves) => {
        const monitor = new WorkMonitor()
        let keys = 0
        monitor.handle({ type: 'wake' })
        for (const each of moves) {
          monitor.jitter = each.jitter
          make(monitor, each, () => `k${++keys}`)
        }
        comeToRest(monitor)
        must(monitor.settling.size === 0 && monitor.running.size === 0, 'something is left')
        monitor.close()
        comeToRest(monitor)
        must(monitor.stopped, 'did not stop')
        lives++
      }),
      { numRuns: 2_000 },
    )
    expect(lives).toBe(2_000)
  })
})
