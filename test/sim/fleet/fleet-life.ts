import { noop } from '../../../src/scope/index.ts'
import type { World } from '../../../src/testing/index.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { FleetFacts } from './fleet-facts.ts'
import { SimMachine } from './sim-machine.ts'
import type { SimWorker } from './sim-worker.ts'

/** The longest time from the loss of a process to the report, if nothing else fails: lease, beat, resume window. */
const CALM_BOUND = 15_000 + 5_000 + 20_000 + 3_000
/** How long everything may take once nothing fails any more: the lease, the grace, the resume window, and a boot. */
const HEALING = 150_000
/** How long a process may go on with a call that another process has, if it could know: a beat, and a request. */
const OVERLAP = 12_000

export const faults: readonly JournalFault[] = [
  'fail',
  'hang',
  'lost',
  { late: 500 },
  { late: 3_500 },
  { late: 12_000 },
]

/** Machines that share a journal, and callers, while processes die and freeze and the journal fails. */
export async function fleetLife(world: World): Promise<void> {
  await new FleetLife(world).run()
}

class FleetLife {
  readonly #world: World
  readonly #facts: FleetFacts
  readonly #machines: SimMachine[] = []
  /** Only kills, and one machine always lives: then the bound for reports is exact. */
  readonly #calm: boolean
  #outage: JournalFault | undefined
  #callers = 0
  #ending = false

  constructor(world: World) {
    const { random } = world
    this.#world = world
    this.#facts = new FleetFacts(world)
    this.#calm = random.chance(0.25)
    for (let count = random.int(2, 4); count > 0; count--)
      this.#machines.push(
        new SimMachine({
          world,
          facts: this.#facts,
          name: 'ABCD'[this.#machines.length]!,
          refuses: random.chance(0.2),
          outage: () => this.#outage,
          cut: (call) => this.#comeBack(call),
        }),
      )
  }

  async run(): Promise<void> {
    const { random, clock } = this.#world
    for (const machine of this.#machines) {
      machine.start()
      await clock.elapse(random.pick([0, 0, 500, 3_000]))
    }
    // The first adoptions happen a lease after the start.
    await clock.elapse(random.pick([0, 5_000, 20_000]))
    this.#watch().catch((error: unknown) => this.#world.violate('life', String(error)))
    for (let count = random.int(4, 16); count > 0; count--) {
      this.#act()
      await clock.elapse(random.pick([0, 1, 100, 1_000, 4_000, 9_000, 16_000]))
    }
    await this.#heal()
    await this.#facts.check(this.#calm ? CALM_BOUND : HEALING + 200_000)
    for (const machine of this.#machines) await machine.leave()
  }

  #act(): void {
    const { random } = this.#world
    const machine = random.pick(this.#machines)
    const wild = this.#calm ? 0 : 1
    const action = random.weighted({
      call: 8,
      killWorker: 1,
      killMachine: 1.5,
      killSupervisor: 0.5,
      start: 1.5,
      order: 0.5,
      freeze: 1.5 * wild,
      freezeWorker: 0.5 * wild,
      outage: wild,
      partition: 1.5 * wild,
      full: 0.5 * wild,
      flaky: wild,
    })
    switch (action) {
      case 'call':
        for (let count = random.int(1, 3); count > 0; count--) this.#dial()
        return
      case 'killWorker':
        return machine.killWorker()
      case 'killMachine':
        return this.#mayKill(machine) ? machine.kill() : undefined
      case 'killSupervisor':
        return this.#mayKill(machine) ? machine.killSupervisor() : undefined
      case 'start':
        for (const each of this.#machines) each.start()
        return
      case 'order':
        return this.#order()
      case 'freeze':
        return this.#freeze(machine)
      case 'freezeWorker':
        return machine.freezeWorker(random.pick([100, 4_000, 30_000]))
      case 'outage':
        return void this.#fail('the journal', (fault) => (this.#outage = fault))
      case 'partition':
        return this.#cutOff(machine)
      case 'flaky':
        return this.#unsettle(machine)
      case 'full':
        return this.#fill(machine)
    }
  }

  /** In a calm life, the first machine never dies. */
  #mayKill(machine: SimMachine): boolean {
    return !this.#calm || machine !== this.#machines[0]
  }

  /** Callers hear nothing, and some of them dial again. */
  #freeze(machine: SimMachine): void {
    machine.freeze(this.#world.random.pick([100, 4_000, 14_000, 18_000, 40_000]))
    for (const worker of machine.workers.values()) for (const id of worker.sessions.keys()) this.#comeBack(id)
  }

  /** From now on, some requests of this machine fail. */
  #unsettle(machine: SimMachine): void {
    const { random, clock, tell } = this.#world
    const ms = random.pick([10_000, 40_000, 90_000])
    tell(`some requests of ${machine.name} fail for ${ms} ms`)
    machine.flaky = true
    machine.excuse(ms + 12_000)
    clock.happen(ms, 'requests succeed', () => (machine.flaky = false))
  }

  #fail(what: string, set: (fault: JournalFault | undefined) => void): number {
    const { random, clock, tell } = this.#world
    const fault = random.pick(faults)
    const ms = random.pick([500, 2_500, 8_000, 17_000, 40_000])
    tell(`${what} has the fault ${JSON.stringify(fault)} for ${ms} ms`)
    set(fault)
    clock.happen(ms, 'the fault ends', () => set(undefined))
    return ms
  }

  #cutOff(machine: SimMachine): void {
    const ms = this.#fail(machine.name, (fault) => (machine.partition = fault))
    // A request that is late by 12 s may be answered after the fault.
    machine.excuse(ms + 12_000)
  }

  #fill(machine: SimMachine): void {
    const { random, clock, tell } = this.#world
    tell(`the disk of ${machine.name} is full`)
    machine.disk.full = true
    clock.happen(random.pick([1_000, 10_000]), 'the disk has room', () => (machine.disk.full = false))
  }

  #order(): void {
    const live = [...this.#facts.calls.values()].find(({ servers }) => servers.size > 0)
    if (live) this.#facts.database.order({ call: live.id, order: 'close' }).catch(noop)
  }

  // ── callers ──

  #dial(): void {
    const { random, clock } = this.#world
    const id = `call${++this.#callers}`
    const worker = this.#someWorker()
    if (!worker) return
    worker.answer(id, random.chance(0.7)).then((answered) => {
      if (answered) this.#talk(id, random.int(0, 8))
    }, noop)
    const hangsUp = random.pick([500, 6_000, 25_000, 60_000, 200_000])
    clock.happen(hangsUp, `${id} hangs up`, () => this.#end(id))
  }

  #someWorker(): SimWorker | undefined {
    const workers = this.#machines.flatMap((machine) => (machine.runs ? [...machine.workers.values()] : []))
    const running = workers.filter(({ process }) => process.runs)
    return running.length > 0 ? this.#world.random.pick(running) : undefined
  }

  #talk(id: string, words: number): void {
    const { random, clock } = this.#world
    for (let count = 1; count <= words; count++)
      clock.happen(random.int(0, 20_000), `${id} talks`, () => {
        for (const worker of this.#serving(id)) worker.say(id, `word${count}`)
      })
  }

  #serving(id: string): SimWorker[] {
    return this.#machines.flatMap(({ workers }) =>
      [...workers.values()].filter(({ sessions }) => sessions.has(id)),
    )
  }

  #end(id: string): void {
    for (const worker of this.#serving(id)) worker.end(id)
  }

  /** The call has lost its process. Some callers come back, to any worker, and try a few times. */
  #comeBack(id: string): void {
    const { random, clock } = this.#world
    if (this.#ending || random.chance(0.4)) return
    const attempt = (left: number): void => {
      clock.happen(random.pick([50, 2_000, 6_000]), `${id} comes back`, () => {
        this.#someWorker()
          ?.answer(id, true)
          .then((answered) => {
            if (answered) this.#talk(id, 2)
            else if (left > 0) attempt(left - 1)
          }, noop)
      })
    }
    attempt(8)
  }

  // ── checks ──

  /** Looks every second for processes that serve a call that is not theirs any more. */
  async #watch(): Promise<void> {
    const { clock, violate } = this.#world
    while (!this.#ending) {
      for (const call of this.#facts.calls.values()) {
        const record = await this.#facts.database.find(call.id)
        for (const [name, serving] of call.servers) {
          const machine = this.#machines.find((each) => name.startsWith(`${each.name}.`))!
          const { host, worker, fence } = serving
          const { owner } = record ?? {}
          const own = record?.fence === fence && owner?.host === host && owner.worker === worker
          const away = this.#outage !== undefined || machine.isCutOff || !machine.runs
          const frozen = machine.workers.get(worker)?.process.runs !== true
          if (!record || own || away || frozen) serving.excusedAt = clock.now()
          if (clock.now() - Math.max(serving.excusedAt, machine.excusedAt) > OVERLAP)
            violate('HO5', `${name} still serves ${call.id}, which is not its call any more`)
        }
      }
      await clock.elapse(1_000, 'watch')
    }
  }

  /** Nothing fails any more, all machines are up, and all callers hang up. */
  async #heal(): Promise<void> {
    const { clock, tell } = this.#world
    tell('everything heals')
    await clock.elapse(45_000)
    for (const machine of this.#machines) {
      machine.flaky = false
      machine.start()
    }
    await clock.elapse(15_000)
    this.#ending = true
    for (const id of this.#facts.calls.keys()) this.#end(id)
    await clock.elapse(HEALING)
  }
}
