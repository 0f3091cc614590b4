import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/host/supervisor/limits.ts'
import { Life, act, only, settings, step } from './machine-life.ts'

const isolated = { isolated: { maxCalls: 4 }, work: false }

const calls = (life: Life, worker: string, count: number): ReturnType<Life['handle']> =>
  life.handle({ type: 'calls', worker, count })

/** Those that are started become ready. */
function settle(life: Life): void {
  for (const worker of life.in('starting')) life.handle({ type: 'ready', worker })
}

describe('isolated workers', () => {
  it('[HO41] take one call each, and `workers` of them wait for the next call', () => {
    const life = Life.running(isolated)
    expect(life.in('ready')).toEqual(['w1', 'w2'])
    expect(only(calls(life, 'w1', 1), 'spawn')).toEqual([{ type: 'spawn', worker: 'w3', role: 'calls' }])
    expect(only(calls(life, 'w2', 1), 'spawn')).toEqual([{ type: 'spawn', worker: 'w4', role: 'calls' }])
    settle(life)
    calls(life, 'w3', 1)
    // There may be four calls, so nothing waits any more.
    expect(life.in('starting', 'ready')).toEqual(['w1', 'w2', 'w3', 'w4'])
    expect(life.machine.grows).toBe(false)
  })

  it('[HO41] exit after their call, which is not a death', () => {
    const life = Life.running(isolated)
    for (let count = 0; count < 9; count++) {
      const [worker] = life.in('ready')
      calls(life, worker!, 1)
      settle(life)
      const commands = calls(life, worker!, 0)
      expect(only(commands, 'drain', 'replace', 'pause', 'close')).toMatchObject([{ type: 'drain', worker }])
      life.handle({ type: 'drained', worker: worker!, clean: true, written: true })
      expect(only(life.exit(worker!), 'replace', 'pause')).toEqual([])
      expect(life.in('ready')).toHaveLength(2)
    }
  })

  it('[HO41] that do not exit after their call are closed, then killed', () => {
    const life = Life.running(isolated)
    calls(life, 'w1', 1)
    calls(life, 'w1', 0)
    life.elapse(settings.closeTimeout + limits.exit)
    expect(life.in('closing')).toEqual(['w1'])
    life.elapse(settings.closeTimeout + limits.exit)
    expect(life.in('dying')).toEqual(['w1'])
  })

  it('[HO41] that die young are still replaced with pauses, until one of them has finished a call', () => {
    const life = Life.running({ ...isolated, workers: 1 })
    life.exit('w1')
    life.handle({ type: 'ready', worker: 'w2' })
    life.exit('w2')
    expect(only(life.commands, 'pause')).toMatchObject([{ pause: limits.firstPause }])
    life.elapse(limits.firstPause)
    settle(life)
    calls(life, 'w3', 1)
    calls(life, 'w3', 0)
    settle(life)
    life.exit('w4')
    expect(life.in('starting')).toEqual(['w5'])
  })

  it('[HO41] are started for calls that wait, a few at once, and no more than `maxCalls`', () => {
    const life = Life.running({ isolated: { maxCalls: 12 }, work: false })
    life.handle({ type: 'waiting', count: 9 })
    expect(life.in('starting')).toHaveLength(limits.starting)
    settle(life)
    expect(life.in('starting')).toHaveLength(limits.starting)
    settle(life)
    expect(life.in('starting', 'ready')).toHaveLength(11)
    life.handle({ type: 'waiting', count: 100 })
    settle(life)
    expect(life.in('starting', 'ready')).toHaveLength(12)
    expect(life.machine.grows).toBe(false)
  })

  it('[HO41] that were cut go on with their call, which counts towards `maxCalls`', () => {
    const life = Life.running({ ...isolated, workers: 1 })
    const cut = (): void => {
      const [worker] = life.in('ready')
      calls(life, worker!, 1)
      life.handle({ type: 'blocked', how: 'cut', worker: worker! })
      life.elapse(limits.lastPause)
      settle(life)
    }
    for (const _ of [1, 2, 3, 4]) cut()
    expect(life.in('draining')).toEqual(['w1', 'w2', 'w3', 'w4'])
    expect(life.in('closing')).toEqual([])
    // One more than `maxCalls`, for the page and the API.
    expect(life.in('ready')).toEqual(['w5'])
    cut()
    expect(only(life.commands, 'close')).toMatchObject([{ worker: 'w1' }])
  })

  it('[HO41] are never more than `maxCalls`, and `workers` wait for a call if there is room, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.nat(9), (steps, waiting) => {
        const life = new Life({ isolated: { maxCalls: 6 } })
        life.handle({ type: 'start' })
        for (const { what, pick } of steps) {
          act(life, what, pick)
          const active = life.machine.workers.filter(
            ({ role, phase }) => role === 'calls' && (phase === 'starting' || phase === 'ready'),
          )
          expect(active.length).toBeLessThanOrEqual(6)
          if (what === 'calls') life.handle({ type: 'waiting', count: waiting })
        }
        if (life.machine.phase !== 'running') return
        life.handle({ type: 'waiting', count: 0 })
        for (let round = 0; round < 5; round++) {
          life.elapse(limits.lastPause)
          settle(life)
        }
        const workers = life.machine.workers.filter(({ role }) => role === 'calls')
        const idle = workers.filter((each) => each.phase === 'ready' && each.calls === 0).length
        const busy = workers.filter((each) => each.phase !== 'dying' && each.calls > 0).length
        expect(idle).toBeGreaterThanOrEqual(Math.min(settings.workers, 6 - busy))
      }),
      { numRuns: 300 },
    )
  })
})
