import { FleetMember } from '../../src/host/fleet/fleet-member.ts'
import type { Journal } from '../../src/host/journal/index.ts'
import { silentLogger } from '../../src/parts/index.ts'
import { Scope, noop } from '../../src/scope/index.ts'
import type { SimClock, SimRandom } from '../../src/testing/index.ts'
import { assumed, costs } from './costs.ts'
import { ScaleJournal, type ScaleCall } from './scale-journal.ts'
import { ScaleStore } from './scale-store.ts'

/** How many workers are simulated as one, in step. */
const GROUP = 10
/** As in the call log. */
const CALL_LOG = {
  batch: 200,
  chunk: 50,
  gather: 1_000,
  gatherFactor: 10,
  answer: 2_000,
  import: 10_000,
  retry: 1_000,
}

interface ScaleHost {
  readonly member: FleetMember
  readonly scope: Scope<string>
  up: boolean
}

export interface ScaleOptions {
  readonly hosts: number
  readonly calls: number
  readonly cores: number
}

/** Hosts with real fleet members, the words and the coming and going of their calls, and callers, on a model of a store. */
export class ScaleFleet {
  readonly clock: SimClock
  readonly store: ScaleStore
  readonly journal: ScaleJournal
  readonly #random: SimRandom
  readonly #options: ScaleOptions
  readonly #hosts = new Map<string, ScaleHost>()
  #names = 0
  #stopped = false
  /** Writes about calls that the store has acknowledged, and those that wait in spools. */
  written = 0
  spooled = 0

  constructor(clock: SimClock, random: SimRandom, options: ScaleOptions) {
    this.clock = clock
    this.#random = random
    this.#options = options
    this.store = new ScaleStore(clock, options.cores)
    this.journal = new ScaleJournal(clock, random, this.store, (id) => this.#hosts.get(id)?.up === true)
  }

  get living(): string[] {
    return [...this.#hosts].filter(([, { up }]) => up).map(([id]) => id)
  }

  /** Starts all hosts within `ms`, gives them their calls, and lets them talk. */
  async start(ms: number): Promise<void> {
    const { hosts, calls } = this.#options
    for (let count = 0; count < hosts; count++)
      this.clock.happen((ms * count) / hosts, 'a host starts', () => this.join())
    await this.clock.elapse(ms + 1_000)
    const { living } = this
    for (let count = 0; count < calls; count++) this.journal.add(`c${count}`, living[count % living.length]!)
    this.#background()
  }

  join(): void {
    const id = `h${++this.#names}`
    const scope = new Scope<string>(id, { clock: this.clock })
    let joins = 0
    const member = new FleetMember({
      scope,
      journal: this.journal as unknown as Journal,
      host: { name: id, version: '1', capacity: 300 },
      newId: () => (++joins > 1 ? `${id}.${joins}` : id),
      random: this.#random,
      joined: (joined) => this.#hosts.set(joined, host),
      ordered: noop,
      letGo: noop,
      drained: noop,
      hangUp: () => this.clock.elapse(300),
      logger: silentLogger,
    })
    const host: ScaleHost = { member, scope, up: true }
    member.start().catch(noop)
  }

  /** Kills hosts, as the loss of a zone does. Returns the calls that they had. */
  kill(ids: readonly string[]): ScaleCall[] {
    const lost: ScaleCall[] = []
    for (const id of ids) {
      const host = this.#hosts.get(id)!
      host.up = false
      host.scope.abort()
      for (const call of this.journal.hosts.get(id)!.calls) {
        call.lostAt = this.clock.now()
        lost.push(call)
      }
    }
    return lost
  }

  /** A host whose calls have ended leaves, and another one joins in its place. */
  async replace(id: string): Promise<void> {
    const host = this.#hosts.get(id)!
    this.join()
    for (const call of this.journal.hosts.get(id)?.calls ?? []) call.closed = true
    this.journal.hosts.get(id)?.calls.clear()
    host.up = false
    await host.member.leave()
    host.scope.abort()
  }

  /** A caller tries to come back, to any host, until it works or `ms` are over. */
  async callBack(call: ScaleCall, ms: number): Promise<void> {
    const until = this.clock.now() + ms
    await this.clock.elapse(this.#random.int(500, 3_000))
    while (this.clock.now() < until && !call.closed) {
      const back = await this.journal
        .comeBack(call.id, { host: this.#random.pick(this.living) })
        .catch(() => false)
      if (back) return
      await this.clock.elapse(this.#random.int(1_500, 2_500))
    }
  }

  stop(): void {
    this.#stopped = true
    for (const { scope } of this.#hosts.values()) scope.abort()
  }

  // ── what calls write ──

  #background(): void {
    const { hosts, calls } = this.#options
    const groups = Math.ceil((hosts * assumed.workers) / GROUP)
    const words = (calls * assumed.wordsPerSecond) / groups / 1_000
    for (let group = 0; group < groups; group++)
      this.clock.happen(this.#random.int(0, 1_000), 'talks', () => void this.#talk(words).catch(noop))
    // Openings and ends, in groups as well.
    const ends = (calls / assumed.callSeconds / 1_000) * 2
    void this.#comeAndGo(ends).catch(noop)
    const polls = hosts / assumed.workPoll
    void this.#poll(polls).catch(noop)
  }

  /** The call logs of some workers: a batch at a time, and words gather while it is under way. */
  async #talk(perMs: number): Promise<void> {
    let waiting = 0
    let last = this.clock.now()
    let spooling = false
    while (!this.#stopped) {
      waiting += (this.clock.now() - last) * perMs
      last = this.clock.now()
      if (waiting < 1) {
        // At least a millisecond: a shorter time can be too short to change the clock.
        await this.clock.elapse(Math.max(1, (1 - waiting) / perMs))
        continue
      }
      const size = spooling ? CALL_LOG.chunk : CALL_LOG.batch
      const count = Math.min(Math.floor(waiting), size * GROUP)
      const batches = Math.min(GROUP, count)
      const within = spooling ? CALL_LOG.import : CALL_LOG.answer
      const took = await this.#send(costs.entries * batches + costs.entry * count, batches, within)
      if (took === undefined) {
        if (!spooling) this.spooled++
        spooling = true
        await this.clock.elapse(CALL_LOG.retry)
        continue
      }
      waiting -= count
      this.written += count
      if (spooling && waiting > GROUP) continue
      if (spooling) this.spooled--
      spooling = false
      await this.clock.elapse(Math.min(CALL_LOG.gather, CALL_LOG.gatherFactor * took))
    }
  }

  /** Returns how long it took; undefined if that was too long, or the store was away. */
  async #send(cpu: number, weight: number, within: number = CALL_LOG.answer): Promise<number | undefined> {
    const began = this.clock.now()
    return await new Promise((resolve) => {
      const timer = this.clock.happen(within, 'too late', () => resolve(undefined))
      this.store.request(cpu, true, noop, weight).then(
        () => {
          timer.clear()
          resolve(this.clock.now() - began)
        },
        () => {
          timer.clear()
          resolve(undefined)
        },
      )
    })
  }

  async #comeAndGo(perMs: number): Promise<void> {
    while (!this.#stopped) {
      await this.clock.elapse(GROUP / perMs)
      for (let count = 0; count < GROUP; count++)
        this.#send((costs.open + costs.close) / 2, 1).then((took) => {
          if (took !== undefined) this.written++
        }, noop)
    }
  }

  async #poll(perMs: number): Promise<void> {
    while (!this.#stopped) {
      await this.clock.elapse(1 / perMs)
      this.#send(costs.claim, 1).catch(noop)
    }
  }
}
