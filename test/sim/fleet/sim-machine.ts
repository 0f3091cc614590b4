import { FleetMember } from '../../../src/host/fleet/fleet-member.ts'
import { answerWithin } from '../../../src/host/journal/answer-within.ts'
import type { Journal } from '../../../src/host/journal/index.ts'
import { silentLogger } from '../../../src/parts/index.ts'
import { Scope, noop } from '../../../src/scope/index.ts'
import type { World } from '../../../src/testing/index.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { importDisk, type Disk } from '../../host/reception/memory-spool.ts'
import type { FleetFacts } from './fleet-facts.ts'
import { SimProcess } from './sim-process.ts'
import { SimWorker } from './sim-worker.ts'

export interface SimMachineOptions {
  readonly world: World
  readonly facts: FleetFacts
  readonly name: string
  readonly refuses: boolean
  /** What happens to requests of all machines. */
  readonly outage: () => JournalFault | undefined
  readonly cut: (call: string) => void
}

const IMPORT_EVERY = 15_000
const REQUEST = 11_000

/** What happens to single requests. */
const flaws: readonly JournalFault[] = ['fail', 'lost', 'lost', { late: 3_500 }, { late: 8_000 }]

/** A machine: a disk, a supervisor with a real fleet member, and its workers. Wired as `serve` does it. */
export class SimMachine {
  readonly name: string
  readonly disk: Disk
  readonly workers = new Map<string, SimWorker>()
  /** What happens to requests of this machine only. */
  partition: JournalFault | undefined
  /** Whether some requests of this machine fail. */
  flaky = false
  /** When the machine was last frozen, or away from a journal that others could reach. */
  excusedAt = -Infinity
  readonly #options: SimMachineOptions
  readonly #ids = new Set<string>()
  #process: SimProcess | undefined
  #scope: Scope<string> | undefined
  #member: FleetMember | undefined
  #importing: Promise<void> = Promise.resolve()
  #starts = 0
  #workerCount = 0

  constructor(options: SimMachineOptions) {
    this.#options = options
    this.name = options.name
    this.disk = { files: new Map(), takes: options.world.random.pick([1, 30, 300]) }
  }

  get runs(): boolean {
    return this.#process?.runs === true
  }

  get isCutOff(): boolean {
    return this.partition !== undefined || this.flaky
  }

  get isUp(): boolean {
    return this.#process?.dead === false
  }

  /** Boots, unless it is up. */
  start(): void {
    if (this.isUp) return
    const { world, facts, name } = this.#options
    const { violate, tell, clock, random } = world
    const process = new SimProcess(clock, `${name}.${++this.#starts}`)
    tell(`${process.name} starts`)
    this.#process = process
    this.#importing = Promise.resolve()
    const scope = new Scope<string>(process.name, { clock: process.clock })
    this.#scope = scope
    const journal = this.#journal(process, 'fleet')
    let ids = 0
    let letGo = true
    const member = new FleetMember({
      scope,
      journal,
      host: { name, version: '1', capacity: 10 },
      newId: () => `${process.name}${'abcdefgh'[ids++]}`,
      random,
      joined: (id) => {
        tell(`${id} has joined`)
        if (member.id !== '' && !letGo) violate('HO32', `${id} has joined before it let go`)
        letGo = false
        this.#ids.add(id)
        if (this.workers.size === 0) this.#spawn(id)
        for (const worker of this.workers.values()) worker.setHost(id)
      },
      ordered: (orders) => {
        for (const { call } of orders) for (const worker of this.workers.values()) worker.end(call)
      },
      drained: noop,
      letGo: () => {
        tell(`${process.name} was declared dead`)
        letGo = true
        if (clock.now() - this.excusedAt > 60_000)
          violate('HO33', `${process.name} was declared dead, and was neither frozen nor cut off`)
        for (const worker of this.workers.values()) worker.setHost('')
      },
      hangUp: async (call) => {
        facts.hangUp(call)
        await process.receive(clock.elapse(random.pick([0, 100, 10_000])))
      },
      closed: ({ id }) => facts.announce(id),
      logger: silentLogger,
    })
    this.#member = member
    const importing = this.#import(journal).catch(noop)
    importing.then(() => (process.dead ? undefined : member.start())).catch(noop)
    scope.every(IMPORT_EVERY, 'import', () => void this.#import(journal).catch(noop))
  }

  /** The power fails. */
  kill(): void {
    if (!this.isUp) return
    this.#options.world.tell(`${this.#process!.name} is killed`)
    for (const worker of this.workers.values()) worker.kill()
    this.#options.facts.lose(this.#ids)
    this.#down()
  }

  /** Only the supervisor dies: its workers notice, and end. */
  killSupervisor(): void {
    if (!this.isUp) return
    this.#options.world.tell(`the supervisor of ${this.#process!.name} is killed`)
    for (const worker of this.workers.values()) worker.exit()
    this.#options.facts.lose(this.#ids)
    this.#down()
  }

  killWorker(): void {
    const worker = [...this.workers.values()][0]
    if (!worker || !this.isUp) return
    this.#options.world.tell(`${worker.process.name} is killed`)
    worker.kill()
    this.workers.delete(worker.name)
    // A supervisor that is frozen notices later.
    this.#process!.clock.after(1, 'a worker has exited', () => {
      this.#orphan(worker.name).catch(noop)
      this.#spawn(this.#member!.id)
    })
  }

  freeze(ms: number): void {
    if (!this.runs) return
    this.#options.world.tell(`${this.#process!.name} is frozen for ${ms} ms`)
    this.excuse(ms)
    for (const worker of this.workers.values()) worker.process.freeze(ms)
    this.#process!.freeze(ms)
  }

  freezeWorker(ms: number): void {
    for (const worker of this.workers.values()) worker.process.freeze(ms)
  }

  /** For this long, the machine may be declared dead. */
  excuse(ms: number): void {
    this.excusedAt = Math.max(this.excusedAt, this.#options.world.clock.now() + ms)
  }

  async leave(): Promise<void> {
    for (const worker of this.workers.values()) {
      await worker.log.close()
      worker.process.kill()
      worker.scope.abort()
    }
    await this.#member?.leave()
    this.#down()
  }

  #down(): void {
    this.#process?.kill()
    this.#scope?.abort()
    this.workers.clear()
  }

  /** Retried, as the supervisor does. */
  async #orphan(worker: string): Promise<void> {
    const process = this.#process!
    const member = this.#member!
    for (;;)
      try {
        await this.#import(this.#journal(process, 'owner'))
        await member.orphan(worker)
        return
      } catch {
        await process.receive(this.#options.world.clock.elapse(1_000))
      }
  }

  #spawn(host: string): void {
    const { world, facts, refuses, cut } = this.#options
    const name = `w${++this.#workerCount}`
    const supervisor = this.#process!
    const process = new SimProcess(world.clock, `${supervisor.name}.${name}`)
    const through = this.#journal(supervisor, 'owner')
    const journal = new Proxy(through, {
      get: (target, method: keyof Journal) => {
        const value = target[method] as (...args: unknown[]) => Promise<unknown>
        // Over IPC: nothing is answered while the supervisor is frozen, and the worker may be as well.
        return (...args: unknown[]) => process.receive(value(...args))
      },
    })
    const options = { world, facts, process, journal, disk: this.disk, host, name, refuses, cut }
    this.workers.set(name, new SimWorker(options))
  }

  #journal(process: SimProcess, by: 'owner' | 'fleet'): Journal {
    const { facts, world } = this.#options
    const fault = (method: keyof Journal): JournalFault | undefined => this.#fault(method)
    const watched = facts.connection(facts.database.another({ clock: world.clock, fault }), by)
    return new Proxy(watched, {
      get: (target, method: keyof Journal) => {
        const request = target[method] as (...args: unknown[]) => Promise<unknown>
        // Bounded, as in Postgres.
        return (...args: unknown[]) =>
          process.runs
            ? process.receive(
                answerWithin(
                  process.clock,
                  REQUEST,
                  this.#send(process, () => request(...args)),
                ),
              )
            : new Promise(noop)
      },
    })
  }

  /** A request is on its way for a while, and then may or may not arrive if its process was killed. */
  async #send(process: SimProcess, request: () => Promise<unknown>): Promise<unknown> {
    const { clock, random } = this.#options.world
    const ms = random.pick([0, 0, 0, 2, 60])
    if (ms > 0) await clock.elapse(ms, 'a request is on its way')
    return process.dead && random.chance(0.5) ? new Promise(noop) : request()
  }

  #fault(method: keyof Journal): JournalFault | undefined {
    const { outage, world } = this.#options
    const { random } = world
    // Adoptions are rare: without more faults, few lives would have one that fails.
    const rate = method === 'adopt' ? 0.6 : 0.15
    return outage() ?? this.partition ?? (this.flaky && random.chance(rate) ? random.pick(flaws) : undefined)
  }

  /** As `serve` does: the files of processes that are gone, one import at a time. */
  #import(journal: Journal): Promise<void> {
    this.#importing = this.#importing.catch(noop).then(() => this.#importNow(journal))
    return this.#importing
  }

  async #importNow(journal: Journal): Promise<void> {
    const hosts = await journal.hosts()
    const alive = new Set(hosts.filter(({ expired }) => !expired).map(({ id }) => id))
    for (const file of this.disk.files.keys()) {
      const at = file.lastIndexOf('-')
      const [host, worker] = [file.slice(0, at), file.slice(at + 1)]
      const lives = this.#ids.has(host) ? this.workers.has(worker) : alive.has(host)
      if (!lives) await importDisk(this.disk, file, journal)
    }
  }
}
