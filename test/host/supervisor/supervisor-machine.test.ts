import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Life, act, endWell, only, settings, step } from './machine-life.ts'
import { limits } from '../../../src/host/supervisor/limits.ts'
import { exitCodes } from '../../../src/host/exit-codes.ts'

describe('a supervisor', () => {
  it('starts its workers, and is ready with the first call worker', () => {
    const life = new Life()
    const spawned = only(life.handle({ type: 'start' }), 'spawn')
    expect(spawned).toEqual([
      { type: 'spawn', worker: 'w1', role: 'calls' },
      { type: 'spawn', worker: 'w2', role: 'calls' },
      { type: 'spawn', worker: 'work3', role: 'work' },
    ])
    life.handle({ type: 'ready', worker: 'work3' })
    expect(life.ready).toBe(false)
    life.handle({ type: 'ready', worker: 'w1' })
    expect(life.ready).toBe(true)
  })

  it('[HO20] replaces a dead worker at once, orphans its calls, and leaves the others alone', () => {
    const life = Life.running()
    life.elapse(limits.young)
    expect(life.exit('w1')).toEqual([
      expect.objectContaining({ type: 'set-timer' }),
      { type: 'replace', worker: 'w1', role: 'calls', why: 'exited' },
      { type: 'orphan', worker: 'w1', role: 'calls' },
      { type: 'spawn', worker: 'w4', role: 'calls' },
    ])
    expect(life.ready).toBe(true)
  })

  it.each([
    ['whose loop was cut', { type: 'blocked', how: 'cut' }],
    ['over its memory limit', { type: 'over-memory' }],
  ] as const)('[HO20] drains a worker %s, and replaces it while its calls go on', (_, event) => {
    const life = Life.running()
    const commands = life.handle({ ...event, worker: 'w1' })
    expect(only(commands, 'drain', 'spawn', 'kill', 'orphan')).toEqual([
      { type: 'drain', worker: 'w1', within: 600_000 },
      { type: 'spawn', worker: 'w4', role: 'calls' },
    ])
    expect(only(life.handle({ ...event, worker: 'w1' }), 'drain', 'spawn')).toEqual([])
  })

  it('[HO20] kills a worker that cannot be cut, and replaces it', () => {
    const life = Life.running()
    expect(only(life.handle({ type: 'blocked', how: 'stuck', worker: 'w2' }), 'kill', 'spawn')).toEqual([
      { type: 'kill', worker: 'w2' },
      { type: 'spawn', worker: 'w4', role: 'calls' },
    ])
  })

  it('kills a worker that does not become ready, and tries again', () => {
    const life = new Life({ workers: 1, work: false })
    life.handle({ type: 'start' })
    life.elapse(limits.start)
    expect(only(life.commands, 'kill')).toEqual([{ type: 'kill', worker: 'w1' }])
    expect(life.in('starting')).toEqual(['w2'])
  })

  it('closes the calls of the longest draining worker if replaced workers pile up', () => {
    const life = Life.running({ workers: 1, work: false })
    for (let count = 0; count <= limits.draining; count++) {
      life.elapse(limits.young)
      const [worker] = life.in('ready')
      life.handle({ type: 'over-memory', worker: worker! })
      life.handle({ type: 'ready', worker: life.in('starting')[0]! })
    }
    expect(life.in('closing')).toEqual(['w1'])
    expect(life.in('draining')).toHaveLength(limits.draining)
  })

  it('takes a killed process that does not disappear for dead', () => {
    const life = Life.running()
    life.handle({ type: 'blocked', how: 'stuck', worker: 'w1' })
    life.elapse(limits.kill)
    expect([...life.orphaned]).toEqual(['w1'])
  })
})

describe('a reload', () => {
  const one = { workers: 1, work: false }

  it('[RL1] starts a worker with the new program, which takes over once it is ready, and drains the one before', () => {
    const life = Life.running(one)
    life.handle({ type: 'calls', worker: 'w1', count: 1 })
    expect(only(life.handle({ type: 'reload' }), 'spawn', 'drain', 'readiness')).toEqual([
      { type: 'spawn', worker: 'w2', role: 'calls' },
    ])
    expect(life.in('ready')).toEqual(['w1'])
    expect(
      only(life.handle({ type: 'ready', worker: 'w2' }), 'drain', 'readiness', 'replace', 'pause'),
    ).toEqual([{ type: 'drain', worker: 'w1', within: 600_000 }])
    expect(life.in('ready')).toEqual(['w2'])
    // The call goes on, and the worker after it is no replacement.
    life.handle({ type: 'calls', worker: 'w1', count: 0 })
    expect(only(life.exit('w1'), 'spawn', 'replace', 'pause')).toEqual([])
  })

  it('[RL1] bounds the calls that go on by drainTimeout', () => {
    const life = Life.running(one)
    life.handle({ type: 'reload' })
    life.handle({ type: 'ready', worker: 'w2' })
    life.elapse(settings.drainTimeout + limits.goodbye)
    expect(only(life.commands, 'close')).toEqual([{ type: 'close', worker: 'w1', within: 5_000 }])
    expect(life.in('ready')).toEqual(['w2'])
  })

  it('[RL1] lets calls of several earlier programs go on, and closes the oldest of more than that', () => {
    const life = Life.running(one)
    const reload = (): void => {
      life.handle({ type: 'reload' })
      life.handle({ type: 'ready', worker: life.in('starting')[0]! })
    }
    for (let count = 0; count < limits.earlier; count++) reload()
    expect(life.in('draining')).toHaveLength(limits.earlier)
    expect(life.in('closing')).toEqual([])
    reload()
    expect(life.in('closing')).toEqual(['w1'])
    expect(life.in('draining')).toHaveLength(limits.earlier)
  })

  it.each([
    ['dies', (life: Life) => life.exit('w2')],
    ['is not ready in time', (life: Life) => life.elapse(limits.start)],
  ])(
    '[RL2] leaves the worker before alone if the new one %s, and tries nothing until the next reload',
    (_, fail) => {
      const life = Life.running(one)
      life.handle({ type: 'reload' })
      fail(life)
      expect(only(life.commands, 'not-loaded', 'replace', 'pause')).toEqual([
        { type: 'not-loaded', worker: 'w2' },
      ])
      life.elapse(10 * limits.lastPause)
      expect(life.in('ready', 'starting')).toEqual(['w1'])
      expect(life.machine.grows).toBe(false)
      life.handle({ type: 'reload' })
      expect(life.in('starting')).toEqual(['w3'])
      life.handle({ type: 'ready', worker: 'w3' })
      expect(life.in('draining')).toEqual(['w1'])
    },
  )

  it('[RL2] tries the new program again if the worker of the one before dies', () => {
    const life = Life.running(one)
    life.elapse(limits.young)
    life.handle({ type: 'reload' })
    life.exit('w2')
    life.exit('w1')
    expect(life.in('starting')).toEqual(['w3'])
    life.exit('w3')
    expect(life.machine.phase).toBe('running')
    life.elapse(limits.lastPause)
    expect(life.in('starting')).toHaveLength(1)
  })

  it('[RL3] ends a worker that is still loading what has changed again, and forgets that it ever was', () => {
    const life = Life.running(one)
    life.handle({ type: 'reload' })
    expect(only(life.handle({ type: 'reload' }), 'kill', 'spawn', 'not-loaded')).toEqual([
      { type: 'kill', worker: 'w2' },
      { type: 'spawn', worker: 'w3', role: 'calls' },
    ])
    // It may have become ready meanwhile.
    life.handle({ type: 'ready', worker: 'w2' })
    expect(only(life.exit('w2'), 'not-loaded', 'spawn', 'replace')).toEqual([])
    life.handle({ type: 'ready', worker: 'w3' })
    expect(life.in('ready')).toEqual(['w3'])
  })

  it('[RL3] does not wait for the pause of workers that died young: they had another program', () => {
    const life = Life.running(one)
    for (let deaths = 0; deaths < 4; deaths++) {
      while (life.in('starting', 'ready').length === 0) life.elapse(life.timer! - life.now)
      life.exit(life.in('starting', 'ready')[0]!)
    }
    expect(life.in('starting')).toEqual([])
    life.handle({ type: 'reload' })
    expect(life.in('starting')).toHaveLength(1)
  })

  it('[RL3] is ignored once the supervisor ends', () => {
    const life = Life.running(one)
    life.handle({ type: 'reload' })
    life.handle({ type: 'signal' })
    expect(only(life.handle({ type: 'reload' }), 'spawn')).toEqual([])
    endWell(life)
    expect(life.exitCode).toBe(exitCodes.clean)
  })
})

describe('workers that die young', () => {
  it('[HO21] are replaced at once, then after 1 s, 2 s, … 30 s, once one has been ready', () => {
    const life = Life.running({ workers: 1, work: false })
    const pauses: number[] = []
    for (let deaths = 0; deaths < 9; deaths++) {
      const [worker] = life.in('starting', 'ready')
      const at = life.now
      life.exit(worker!)
      while (life.in('starting').length === 0) life.elapse(life.timer! - life.now)
      pauses.push(life.now - at)
    }
    expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    expect(life.exitCode).toBeUndefined()
  })

  it('[HO21] make the supervisor give up if none was ever ready, with an exit code that says so', () => {
    const life = new Life()
    life.handle({ type: 'start' })
    life.handle({ type: 'ready', worker: 'work3' })
    for (let deaths = 0; deaths < limits.hopeless; deaths++) {
      for (const worker of life.in('starting')) life.exit(worker)
      if (deaths < limits.hopeless - 1) life.elapse(limits.lastPause)
    }
    expect(life.machine.phase).toBe('closing')
    endWell(life)
    life.elapse(settings.closeTimeout)
    expect(life.exitCode).toBe(exitCodes.hopeless)
  })

  it('count once if they were started and die together', () => {
    const life = Life.running({ workers: 8, work: false })
    for (const worker of life.in('ready')) life.exit(worker)
    expect(life.in('starting')).toHaveLength(8)
    for (const worker of life.in('starting')) life.exit(worker)
    expect(life.in('starting')).toHaveLength(0)
    life.elapse(1_000)
    expect(life.in('starting')).toHaveLength(8)
  })

  it('are forgotten once a replacement has lived', () => {
    const life = Life.running({ workers: 1, work: false })
    life.exit('w1')
    life.handle({ type: 'ready', worker: 'w2' })
    life.elapse(limits.young)
    life.exit('w2')
    expect(life.in('starting')).toEqual(['w3'])
    life.exit('w3')
    expect(life.in('starting')).toEqual(['w4'])
  })
})

describe('a drain', () => {
  it('[HO3] is not ready at once, then lets calls finish, ends the work worker last, and exits with 0', () => {
    const life = Life.running()
    const commands = life.handle({ type: 'signal' })
    expect(only(commands, 'readiness', 'drain', 'close', 'kill')).toEqual([
      { type: 'readiness', ready: false },
      { type: 'drain', worker: 'w1', within: 600_000 },
      { type: 'drain', worker: 'w2', within: 600_000 },
    ])
    life.handle({ type: 'drained', worker: 'w1', clean: true, written: true })
    life.exit('w1')
    life.handle({ type: 'orphaned', worker: 'w1', lost: 0 })
    expect(life.in('ready')).toEqual(['work3'])
    life.handle({ type: 'drained', worker: 'w2', clean: true, written: true })
    expect(only(life.exit('w2'), 'close')).toEqual([{ type: 'close', worker: 'work3', within: 5_000 }])
    life.handle({ type: 'orphaned', worker: 'w2', lost: 0 })
    expect(life.exitCode).toBeUndefined()
    endWell(life)
    expect(life.exitCode).toBe(exitCodes.clean)
  })

  it('[HO3] leaves time for goodbyes after drainTimeout, then closes, and kills a worker that does not exit', () => {
    const life = Life.running({ workers: 1, work: false })
    life.handle({ type: 'drain' })
    life.elapse(settings.drainTimeout + limits.goodbye - 1)
    expect(only(life.commands, 'close')).toEqual([])
    life.elapse(1)
    expect(only(life.commands, 'close')).toEqual([{ type: 'close', worker: 'w1', within: 5_000 }])
    life.elapse(settings.closeTimeout + limits.exit)
    expect(only(life.commands, 'kill')).toEqual([{ type: 'kill', worker: 'w1' }])
    life.exit('w1')
    life.handle({ type: 'orphaned', worker: 'w1', lost: 2 })
    expect(life.exitCode).toBe(exitCodes.unclean)
  })

  it('[HO3] is hurried by a second signal, and a third kills', () => {
    const life = Life.running()
    life.handle({ type: 'signal' })
    expect(only(life.handle({ type: 'signal' }), 'close', 'kill')).toEqual([
      { type: 'close', worker: 'w1', within: 5_000 },
      { type: 'close', worker: 'w2', within: 5_000 },
      { type: 'close', worker: 'work3', within: 5_000 },
    ])
    expect(only(life.handle({ type: 'signal' }), 'kill')).toHaveLength(3)
    for (const worker of life.in('dying')) {
      life.exit(worker)
      life.handle({ type: 'orphaned', worker, lost: 0 })
    }
    expect(life.exitCode).toBe(exitCodes.killed)
  })

  it('that was ordered is not hurried by the first signal: a stop hook drains, and the signal follows', () => {
    const life = Life.running()
    life.handle({ type: 'drain' })
    life.handle({ type: 'drain' })
    life.handle({ type: 'signal' })
    expect(life.in('closing')).toEqual([])
    life.handle({ type: 'signal' })
    expect(life.in('closing')).toHaveLength(3)
  })

  it.each([
    ['a call did not close cleanly', { clean: false, written: true, lost: 0 }, exitCodes.unclean],
    ['a report was not written', { clean: true, written: false, lost: 0 }, exitCodes.unwritten],
    ['the journal still had a live call', { clean: true, written: true, lost: 1 }, exitCodes.unclean],
    [
      'the journal is away, but all was spooled',
      { clean: true, written: true, lost: undefined },
      exitCodes.clean,
    ],
  ] as const)('[HO3] has an exit code that tells the truth: %s', (_, { clean, written, lost }, code) => {
    const life = Life.running({ workers: 1, work: false })
    life.handle({ type: 'signal' })
    life.handle({ type: 'drained', worker: 'w1', clean, written })
    life.exit('w1')
    if (lost !== undefined) life.handle({ type: 'orphaned', worker: 'w1', lost })
    else life.elapse(settings.closeTimeout)
    expect(life.exitCode).toBe(code)
  })

  it('[HO3] does not exit with 0 if a worker died whose calls could not be orphaned', () => {
    const life = Life.running({ workers: 1, work: false })
    life.exit('w1')
    life.handle({ type: 'signal' })
    endWell(life)
    expect(life.exitCode).toBeUndefined()
    life.elapse(settings.closeTimeout)
    expect(life.exitCode).toBe(exitCodes.unwritten)
  })
})

/** The longest end: calls drain, hear a goodbye, close and are killed; so is the work worker after them; then the journal does not answer. */
const longest =
  settings.drainTimeout +
  limits.goodbye +
  2 * (settings.closeTimeout + limits.exit + limits.kill) +
  settings.closeTimeout

describe('whatever happens', () => {
  it('[HO20] [HO3] every worker is replaced, orphaned once, and the supervisor ends within its bounds', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const life = new Life()
        life.handle({ type: 'start' })
        for (const { what, pick } of steps) act(life, what, pick)
        if (life.machine.phase === 'running') {
          for (const worker of life.in('starting')) life.handle({ type: 'ready', worker })
          life.elapse(limits.lastPause)
          const active = life.machine.workers.filter(({ phase }) => phase === 'starting' || phase === 'ready')
          expect(active.filter(({ role }) => role === 'calls')).toHaveLength(settings.workers)
          expect(active.filter(({ role }) => role === 'work')).toHaveLength(1)
        }
        life.handle({ type: 'signal' })
        expect(life.ready).toBe(false)
        life.elapse(longest)
        expect(life.exitCode).toBeDefined()
        expect([...life.orphaned].toSorted()).toEqual(
          life.commands.flatMap((each) => (each.type === 'spawn' ? each.worker : [])).toSorted(),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('[HO3] two more signals end the supervisor within the time of a kill', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const life = new Life()
        life.handle({ type: 'start' })
        for (const { what, pick } of steps) act(life, what, pick)
        for (let count = 0; count < 3; count++) life.handle({ type: 'signal' })
        life.elapse(limits.kill + settings.closeTimeout)
        expect(life.exitCode).toBeDefined()
        expect(life.exitCode).not.toBe(exitCodes.clean)
      }),
      { numRuns: 300 },
    )
  })
})
