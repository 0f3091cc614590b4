import type { SupervisorEvent, WorkerRole } from '../../src/host/supervisor/supervisor-events.ts'
import type { SupervisorSettings } from '../../src/host/supervisor/worker-state.ts'
import type { Timer, Untimed } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import type { ModelJournal } from './supervisor-journal.ts'

/** A model of a worker process. It takes calls, drains, closes, or misbehaves. */
export class ModelWorker {
  readonly name: string
  readonly role: WorkerRole
  readonly unkillable: boolean
  readonly #world: World
  readonly #settings: SupervisorSettings
  readonly #journal: ModelJournal
  readonly #report: (event: Untimed<SupervisorEvent>) => void
  readonly #timers = new Set<Timer>()
  /** Ignores orders. */
  readonly #deaf: boolean
  /** Calls since its start. */
  taken = 0
  #calls = 0
  #idleSince = 0
  #draining = false
  #closing = false
  alive = true
  /** Something bad happened to it from outside. */
  unlucky = false
  clean = true
  written = true
  constructor(
    world: World,
    name: string,
    role: WorkerRole,
    settings: SupervisorSettings,
    journal: ModelJournal,
    report: (event: Untimed<SupervisorEvent>) => void,
  ) {
    const { random } = world
    this.#world = world
    this.name = name
    this.role = role
    this.#settings = settings
    this.#journal = journal
    this.#report = report
    this.#deaf = random.chance(0.1)
    this.unkillable = random.chance(0.03)
    // A worker that ignores orders is killed, and loses its calls: that is no surprise.
    this.unlucky = this.#deaf
    const starts = random.pick(['well', 'well', 'well', 'slowly', 'dies', 'never'] as const)
    if (starts === 'dies') this.#after(random.pick([1, 500]), () => this.die())
    else if (starts !== 'never') this.#after(starts === 'well' ? 300 : 50_000, () => this.#ready())
  }

  /** Calls that were under way when the process ended, or was given up. */
  get dropped(): number {
    return this.#calls
  }

  /** Whether it closes its calls. */
  get closing(): boolean {
    return this.#closing
  }

  /** Milliseconds since its last call has ended. */
  get idleFor(): number {
    return this.#world.clock.now() - this.#idleSince
  }

  drain(): void {
    if (this.#deaf) return
    this.#draining = true
    this.#exitIfIdle()
  }

  close(): void {
    if (this.#deaf || this.#closing) return
    this.#draining = true
    this.#closing = true
    const { random } = this.#world
    this.#after(random.pick([0, 0.5, 1]) * this.#settings.closeTimeout, () => {
      if (random.chance(0.1)) this.clean = false
      while (this.#calls > 0) this.#endCall(random.chance(0.97))
      this.#exitIfIdle()
    })
  }

  kill(): void {
    // A process that is stuck in the kernel does nothing, and does not end.
    if (this.unkillable) this.stop()
    else this.#after(this.#world.random.pick([0, 10]), () => this.die())
  }

  /** The process ends, now. */
  die(): void {
    if (!this.alive) return
    this.alive = false
    this.stop()
    this.#report({ type: 'exited', worker: this.name })
  }

  stop(): void {
    for (const timer of this.#timers) timer.clear()
    this.#timers.clear()
  }

  #ready(): void {
    this.#report({ type: 'ready', worker: this.name })
    if (this.role === 'calls') this.#nextCall(6)
  }

  #nextCall(left: number): void {
    const { random } = this.#world
    if (left === 0) return
    this.#after(random.pick([10, 2_000, 20_000]), () => {
      const full = this.#settings.isolated !== undefined && this.#calls > 0
      // The supervisor is to end an isolated worker before it takes another call.
      if (this.#draining || full) return
      this.#calls++
      this.taken++
      this.#journal.open(this.name)
      this.#report({ type: 'calls', worker: this.name, count: this.#calls })
      this.#after(random.pick([500, 30_000, 300_000]), () => {
        if (this.#calls > 0 && !this.#closing) this.#endCall(true)
        this.#exitIfIdle()
      })
      this.#nextCall(left - 1)
    })
  }

  #endCall(written: boolean): void {
    this.#calls--
    this.#idleSince = this.#world.clock.now()
    if (written) this.#journal.close(this.name)
    else this.written = false
    this.#report({ type: 'calls', worker: this.name, count: this.#calls })
  }

  #exitIfIdle(): void {
    if (!this.#draining || this.#calls > 0 || this.#deaf || !this.alive) return
    this.#report({ type: 'drained', worker: this.name, clean: this.clean, written: this.written })
    this.die()
  }

  #after(ms: number, callback: () => void): void {
    const timer = this.#world.clock.happen(ms, this.name, () => {
      this.#timers.delete(timer)
      if (this.alive) callback()
    })
    this.#timers.add(timer)
  }
}
