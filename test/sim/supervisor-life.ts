import { limits } from '../../src/host/supervisor/limits.ts'
import { exitCodes } from '../../src/host/exit-codes.ts'
import { type SupervisorCommand, type SupervisorEvent } from '../../src/host/supervisor/supervisor-events.ts'
import { SupervisorMachine } from '../../src/host/supervisor/supervisor-machine.ts'
import type { SupervisorSettings } from '../../src/host/supervisor/worker-state.ts'
import { MachineShell } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { ModelJournal } from './supervisor-journal.ts'
import { ModelWorker } from './supervisor-worker.ts'

/** A random life of a supervisor: its machine, with model workers and a model of the journal, in virtual time. */
export async function supervisorLife(world: World): Promise<void> {
  const { clock, random } = world
  const life = new SupervisorLife(world)
  life.shell.handle({ type: 'start' })
  for (let count = random.int(0, 25); count > 0; count--) {
    await clock.elapse(random.pick([0, 1, 100, 1_000, 5_000, 12_000, 61_000]))
    life.misfortune()
    life.checkRunning()
  }
  const began = clock.now()
  for (let count = random.pick([1, 1, 1, 2, 3]); count > 0; count--) {
    world.tell(count === 1 ? 'last signal' : 'signal')
    life.shell.handle({ type: 'signal' })
    if (life.ready) world.violate('HO3', 'ready after a signal')
    await clock.elapse(random.pick([0, 10, 3_000, 20_000]))
  }
  await life.ended
  life.checkEnd(began)
}

class SupervisorLife {
  readonly world: World
  readonly settings: SupervisorSettings
  readonly machine: SupervisorMachine
  readonly shell: MachineShell<SupervisorEvent, SupervisorCommand>
  readonly journal: ModelJournal
  readonly workers = new Map<string, ModelWorker>()
  readonly ended: Promise<void>
  ready = false
  #end: () => void = () => {}
  #code: number | undefined
  #endedAt = 0
  #pausedUntil = 0
  /** Counts reloads, as the machine does. */
  #generation = 1
  /** Whether every worker soon needs too much memory. */
  readonly #leaky: boolean

  constructor(world: World) {
    const { clock, random } = world
    this.world = world
    const isolated = random.chance(0.4) ? { maxCalls: random.pick([1, 2, 3, 20]) } : undefined
    this.settings = {
      workers: random.pick([1, 1, 2, 3]),
      isolated,
      work: random.chance(0.5),
      drainTimeout: random.pick([0, 1_000, 60_000]),
      closeTimeout: random.pick([100, 5_000]),
    }
    this.#leaky = random.chance(0.15)
    this.machine = new SupervisorMachine(this.settings)
    this.shell = new MachineShell<SupervisorEvent, SupervisorCommand>(
      this.machine,
      { clock, after: (ms, name, callback) => clock.after(ms, name, callback) },
      { name: 'supervisor', carryOut: (command) => this.#carryOut(command) },
    )
    this.journal = new ModelJournal(world)
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Something bad happens to a random worker. */
  misfortune(): void {
    const { random } = this.world
    if (random.chance(0.15)) return this.reload()
    const alive = [...this.workers.values()].filter((worker) => worker.alive)
    if (alive.length === 0) return
    const worker = this.#leaky && !this.settings.isolated ? alive.at(-1)! : random.pick(alive)
    const { name } = worker
    const kinds = ['nothing', 'nothing', 'dies', 'dies', 'cut', 'stuck', 'memory'] as const
    const what = this.#leaky ? 'memory' : random.pick(kinds)
    if (what === 'nothing') return
    this.world.tell(`${name}: ${what}`)
    // Only these may cost a worker its calls.
    if (what === 'dies' || what === 'stuck') worker.unlucky = true
    if (what === 'dies') worker.die()
    else if (what === 'memory') this.shell.handle({ type: 'over-memory', worker: name })
    else this.shell.handle({ type: 'blocked', worker: name, how: what })
  }

  /** Another program. The workers go on with the one before until one of the new is ready (RL1). */
  reload(): void {
    const { ready } = this
    this.world.tell('reload')
    if (this.machine.phase === 'running') this.#generation++
    this.shell.handle({ type: 'reload' })
    // The program may be a good one.
    this.#pausedUntil = 0
    if (ready && !this.ready) this.world.violate('RL1', 'not ready because of a reload')
  }

  /** While the supervisor runs, workers are missing only during a pause. */
  checkRunning(): void {
    const { phase, workers } = this.machine
    if (phase !== 'running') return
    const active = workers.filter((each) => each.phase === 'starting' || each.phase === 'ready')
    const calls = active.filter(({ role }) => role === 'calls')
    if (this.settings.isolated) return this.#checkIsolated(this.settings.isolated.maxCalls, calls)
    if (this.#pausedUntil >= this.world.clock.now()) return
    const latest = Math.max(...workers.map(({ generation }) => generation))
    const isReloading = calls.some(({ generation }) => generation < latest)
    if (isReloading ? calls.length < this.settings.workers : calls.length !== this.settings.workers)
      this.world.violate('HO20', `${calls.length} call workers are active`)
    // One that is ready has replaced all of the earlier ones.
    if (isReloading && calls.some((each) => each.generation === latest && each.phase === 'ready'))
      this.world.violate('RL1', 'a worker of an earlier program takes calls')
    const draining = workers.filter((each) => each.phase === 'draining')
    const ofEarlier = draining.filter(({ generation }) => generation < this.#generation).length
    const ofLatest = draining.length - ofEarlier
    if (
      ofLatest > limits.draining * this.settings.workers ||
      ofEarlier > limits.earlier * this.settings.workers
    )
      this.world.violate('SC18', `${ofLatest} workers drain, and ${ofEarlier} of earlier programs`)
  }

  /** Each call has its own worker, others wait for calls, and all calls together are not too many. */
  #checkIsolated(maxCalls: number, active: readonly { readonly calls: number }[]): void {
    const { world, settings } = this
    const models = [...this.workers.values()].filter(({ role, alive }) => role === 'calls' && alive)
    const used = models.find((worker) => worker.taken > 1 && !worker.unlucky)
    if (used) world.violate('HO41', `${used.name} has taken ${used.taken} calls`)
    // One worker more serves the page and the API.
    const busy = models.filter(({ dropped }) => dropped > 0)
    const calls = busy.filter(
      ({ unlucky, unkillable, closing }) => !unlucky && !unkillable && !closing,
    ).length
    if (calls > maxCalls + 1) world.violate('HO41', `${calls} calls at once`)
    const idle = active.filter((worker) => worker.calls === 0).length
    const wanted = Math.min(settings.workers, maxCalls - busy.length)
    if (idle < wanted && this.#pausedUntil < world.clock.now())
      world.violate('HO41', `${idle} workers wait for a call, not ${wanted}`)
    const idlers = models.filter((worker) => worker.taken > 0 && worker.dropped === 0 && !worker.unlucky)
    if (idlers.length > 0 && idlers.every((worker) => worker.idleFor > 2 * settings.closeTimeout + 10_000))
      world.violate('HO41', `${idlers[0]!.name} is still there after its call`)
  }

  /** `began`: when the first signal came. */
  checkEnd(began: number): void {
    const { world, settings, journal } = this
    const { drainTimeout, closeTimeout } = settings
    const longest = drainTimeout + limits.goodbye + 3 * closeTimeout + 2 * (limits.exit + limits.kill)
    const took = this.#endedAt - began
    if (took > longest) world.violate('HO3', `the end took ${took} ms`)
    for (const worker of this.workers.values()) {
      if (worker.alive && !worker.unkillable) world.violate('HO22', `${worker.name} is left behind`)
      if (journal.orphanings(worker.name) !== 1) world.violate('HO20', `${worker.name} was not orphaned once`)
      if (worker.dropped > 0 && !worker.unlucky && this.#code !== exitCodes.killed)
        world.violate('HO20', `${worker.name} lost calls, and nothing happened to it`)
      worker.stop()
    }
    journal.stop()
    const workers = [...this.workers.values()].filter(({ role }) => role === 'calls')
    const good = workers.every((worker) => worker.clean && worker.written && worker.dropped === 0)
    world.tell(`exit ${this.#code}`)
    if (this.#code === exitCodes.clean && !good)
      world.violate('HO3', 'exit code 0, and a call did not end well')
    const hidden = this.#code === exitCodes.unclean && workers.some((worker) => !worker.written)
    if (hidden) world.violate('HO3', 'the exit code does not say that a report was not written')
    const blames: readonly (number | undefined)[] = [exitCodes.unclean, exitCodes.unwritten]
    if (blames.includes(this.#code) && good && journal.answersAll)
      world.violate('HO3', `exit code ${this.#code}, and all calls ended well`)
  }

  #carryOut(command: Exclude<SupervisorCommand, { readonly timer: string }>): void {
    const { world } = this
    if (this.#code !== undefined) world.violate('HO3', `${command.type} after the exit`)
    switch (command.type) {
      case 'spawn': {
        const { worker, role } = command
        world.tell(`start ${worker}`)
        const model = new ModelWorker(world, worker, role, this.settings, this.journal, (event) =>
          this.shell.handle(event),
        )
        this.workers.set(worker, model)
        return
      }
      case 'drain':
        return this.workers.get(command.worker)?.drain()
      case 'close':
        return this.workers.get(command.worker)?.close()
      case 'kill':
        return this.workers.get(command.worker)?.kill()
      case 'orphan': {
        const { worker } = command
        return this.journal.orphan(worker, (lost) => this.shell.handle({ type: 'orphaned', worker, lost }))
      }
      case 'pause':
        if (command.role === 'calls') this.#pausedUntil = world.clock.now() + command.pause
        return
      case 'readiness':
        this.ready = command.ready
        return
      case 'exit':
        this.#code = command.code
        this.#endedAt = world.clock.now()
        this.shell.stop()
        return this.#end()
      case 'replace':
      case 'not-loaded':
    }
  }
}
