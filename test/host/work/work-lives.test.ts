import { describe, expect, it } from 'vitest'
import { Unrecoverable, WorkRunner, type AfterCallHandler } from '../../../src/host/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { SimRandom, inVirtualTime, simulate, type World } from '../../../src/testing/index.ts'
import { closes, newCall, opens } from '../../../src/testing/journal-conformance/samples.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { never } from '../../../src/testing/never.ts'

const HOUR = 3_600_000
const CONCURRENCY = 3

/** Some processes with after-call work, on one journal, in which everything goes wrong until `calm`. */
class Fleet {
  readonly journal: MemoryJournal
  /** Attempts that succeeded, by key. */
  readonly successes = new Map<string, number>()
  calm = false
  kills = 0
  readonly #world: World
  readonly #random: SimRandom
  readonly #processes: { scope: Scope; running: number }[] = []
  #started = 0

  constructor(world: World) {
    this.#world = world
    this.#random = new SimRandom(world.seed)
    this.journal = new MemoryJournal({ clock: world.clock })
    for (let each = 0; each < 3; each++) this.#start(each)
  }

  /** A call ends, with three pieces of work. */
  async call(id: string): Promise<void> {
    const work = ['steady', 'rude', 'hopeless']
    await this.journal.write([opens(newCall(id, { work })), closes(id, 1)])
  }

  /** A process dies, with or without a goodbye, and another takes its place. */
  replace(): void {
    const index = this.#random.int(0, this.#processes.length - 1)
    const { scope } = this.#processes[index]!
    this.kills++
    if (this.#random.chance(0.5)) scope.abort()
    else scope.close().catch((error: unknown) => this.#world.violate('SC2', String(error)))
    this.#start(index)
  }

  close(): Promise<unknown> {
    return Promise.all(this.#processes.map(({ scope }) => scope.close()))
  }

  #start(index: number): void {
    const process = { scope: new Scope('worker', { clock: this.#world.clock }), running: 0 }
    const handler: AfterCallHandler = async (_, { key, signal }) => {
      if (++process.running > CONCURRENCY) this.#world.violate('HO16', 'too many handlers run at once')
      let counted = true
      // A handler that was cancelled and goes on does not take a place.
      const ended = (): void => {
        if (counted) process.running--
        counted = false
      }
      signal.addEventListener('abort', ended)
      try {
        await this.#behave(key, signal)
        this.successes.set(key, (this.successes.get(key) ?? 0) + 1)
      } finally {
        ended()
      }
    }
    const runner = new WorkRunner({
      scope: process.scope,
      journal: this.journal.another({ clock: this.#world.clock, fault: () => this.#fault() }),
      owner: `process ${++this.#started}`,
      handlers: {
        steady: handler,
        rude: handler,
        hopeless: () => {
          throw new Unrecoverable('no')
        },
      },
      concurrency: CONCURRENCY,
      random: this.#random,
    })
    runner.wake()
    this.#processes[index] = process
  }

  async #behave(key: string, signal: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
    aborted.catch(() => {})
    const pause = this.#world.clock.elapse(this.#random.int(0, 90_000))
    if (this.calm) return undefined
    switch (this.#random.weighted({ works: 4, throws: 2, stops: 2, ignores: 1 })) {
      case 'works':
        return pause
      case 'throws':
        throw new Error('not this time')
      case 'stops':
        return aborted
      case 'ignores':
        // Its place in the process is taken by others.
        return key.includes('rude') ? never() : pause
    }
  }

  #fault(): JournalFault | undefined {
    if (this.calm) return undefined
    const fault = this.#random.weighted({ none: 12, fail: 3, lost: 2, late: 2, hang: 1 })
    if (fault === 'none') return undefined
    return fault === 'late' ? { late: this.#random.int(1, 40_000) } : fault
  }
}

describe('after-call work', () => {
  it('[HO2] [HO16] [HO18] of every call is done, whatever happens to processes, handlers and the journal', async () => {
    let kills = 0
    let repeated = 0
    for (let seed = 1; seed <= 40; seed++) {
      const life = await simulate(seed, async (world) => {
        const fleet = new Fleet(world)
        const random = new SimRandom(seed + 1_000_000)
        for (let call = 1; call <= 10; call++) {
          await fleet.call(`c${call}`)
          await world.clock.elapse(random.int(0, 60_000))
          if (random.chance(0.4)) fleet.replace()
        }
        await world.clock.elapse(HOUR)
        fleet.calm = true
        await world.clock.elapse(3 * HOUR)
        const work = await fleet.journal.work({ limit: 1_000 })
        await fleet.close()
        for (const { key, handler, state, attempts } of work) {
          const wanted = handler === 'hopeless' ? 'dead' : 'done'
          if (state !== wanted) world.violate('HO2', `${key} is ${state} after ${attempts} attempts`)
          if (state === 'done' && !fleet.successes.has(key)) world.violate('HO18', `${key} is not done`)
        }
        if (work.length !== 30) world.violate('HO2', `${work.length} pieces of work are left`)
        kills += fleet.kills
        repeated += [...fleet.successes.values()].filter((times) => times > 1).length
      })
      expect({ seed, violations: life.violations }).toEqual({ seed, violations: [] })
    }
    expect(kills).toBeGreaterThan(100)
    // At least once means sometimes twice.
    expect(repeated).toBeGreaterThan(0)
  })

  it('[HO2] begins as soon as the journal says that it is due', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = new MemoryJournal({ clock })
      const scope = new Scope('worker', { clock })
      const seen: string[] = []
      const runner = new WorkRunner({
        scope,
        journal: journal.another({ clock }),
        owner: 'process 1',
        handlers: { save: ({ id }) => void seen.push(`${id} after ${clock.now()} ms`) },
      })
      await clock.elapse(10_000)
      await journal.write([opens(newCall('c1', { work: ['save'] })), closes('c1', 1)])
      await clock.elapse(10)
      expect(seen).toEqual(['c1 after 10000 ms'])
      await runner.close()
      await journal.write([opens(newCall('c2', { work: ['save'] })), closes('c2', 1)])
      await clock.elapse(HOUR)
      expect(seen).toHaveLength(1)
      await scope.close()
    }))
})
