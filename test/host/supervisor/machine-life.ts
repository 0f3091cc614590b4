import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { SupervisorCommand, SupervisorEvent } from '../../../src/host/supervisor/supervisor-events.ts'
import { SupervisorMachine } from '../../../src/host/supervisor/supervisor-machine.ts'
import type { SupervisorSettings } from '../../../src/host/supervisor/worker-state.ts'
import type { Untimed } from '../../../src/scope/index.ts'

export const settings = { workers: 2, work: true, drainTimeout: 600_000, closeTimeout: 5_000 }

/** A supervisor machine in virtual time. Checks every command against what came before. */
export class Life {
  readonly machine: SupervisorMachine
  readonly commands: SupervisorCommand[] = []
  /** Processes that were started and have not exited. */
  readonly alive = new Set<string>()
  readonly orphaned = new Set<string>()
  readonly #settings: SupervisorSettings
  readonly #killed = new Set<string>()
  readonly #spawned = new Set<string>()
  now = 0
  timer: number | undefined
  exitCode: number | undefined
  ready = false

  constructor(changes: Partial<SupervisorSettings> = {}) {
    this.#settings = { ...settings, ...changes }
    this.machine = new SupervisorMachine(this.#settings)
  }

  /** A supervisor whose workers are all ready. */
  static running(changes: Partial<SupervisorSettings> = {}): Life {
    const life = new Life(changes)
    life.handle({ type: 'start' })
    for (const worker of life.alive) life.handle({ type: 'ready', worker })
    return life
  }

  handle(event: Untimed<SupervisorEvent>): SupervisorCommand[] {
    if (event.type === 'exited') this.alive.delete(event.worker)
    const commands = this.machine.handle({ ...event, at: this.now })
    for (const command of commands) this.#check(command)
    this.commands.push(...commands)
    if (this.exitCode !== undefined) assert.equal(this.timer, undefined, 'no timer outlives the exit')
    assert.equal(this.machine.ready, this.ready, 'readiness is reported')
    return commands
  }

  exit(worker: string): SupervisorCommand[] {
    return this.handle({ type: 'exited', worker })
  }

  elapse(ms: number): void {
    const until = this.now + ms
    while (this.timer !== undefined && this.timer <= until) {
      const due = this.timer
      this.timer = undefined
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer: 'next', due })
    }
    this.now = until
  }

  /** The names of workers in a phase. */
  in(...phases: string[]): string[] {
    return this.machine.workers.filter(({ phase }) => phases.includes(phase)).map(({ name }) => name)
  }

  #check(command: SupervisorCommand): void {
    assert.equal(this.exitCode, undefined, `${command.type} after the exit`)
    switch (command.type) {
      case 'set-timer':
        this.timer = command.at
        return
      case 'clear-timer':
        this.timer = undefined
        return
      case 'spawn':
        assert.equal(this.machine.phase, 'running')
        assert.ok(!this.#spawned.has(command.worker), 'a name is used once')
        this.#spawned.add(command.worker)
        this.alive.add(command.worker)
        return
      case 'drain':
      case 'close':
        assert.ok(this.alive.has(command.worker), `${command.type} to a process`)
        return
      case 'kill':
        assert.ok(!this.#killed.has(command.worker), 'killed once')
        this.#killed.add(command.worker)
        return
      case 'orphan':
        assert.ok(!this.orphaned.has(command.worker), 'orphaned once')
        assert.ok(!this.alive.has(command.worker) || this.#killed.has(command.worker))
        this.orphaned.add(command.worker)
        return
      case 'readiness':
        assert.notEqual(command.ready, this.ready)
        this.ready = command.ready
        return
      case 'exit':
        this.exitCode = command.code
        return
      case 'replace':
      case 'pause':
      case 'not-loaded':
    }
  }
}

export const only = (
  commands: readonly SupervisorCommand[],
  ...types: SupervisorCommand['type'][]
): SupervisorCommand[] => commands.filter(({ type }) => types.includes(type))

/** Drains the workers as they should: each reports the end of its calls, and exits. */
export function endWell(life: Life): void {
  for (;;) {
    const [worker] = life.in('draining', 'closing')
    if (worker === undefined) return
    life.handle({ type: 'drained', worker, clean: true, written: true })
    life.exit(worker)
    life.handle({ type: 'orphaned', worker, lost: 0 })
  }
}

/** Something that may happen to a supervisor. */
export const step = fc.record({
  what: fc.constantFrom(
    ...(['ready', 'ready', 'calls', 'cut', 'stuck', 'over-memory', 'drained', 'exited', 'exited'] as const),
    ...(['orphaned', 'signal', 'drain', 'reload', 'unknown', 'late', 'a while', 'long'] as const),
  ),
  pick: fc.nat(7),
})

export function act(
  life: Life,
  what: (typeof step extends fc.Arbitrary<infer T> ? T : never)['what'],
  pick: number,
): void {
  const workers = [...life.alive]
  const worker = workers[pick % workers.length] ?? 'w1'
  switch (what) {
    case 'ready':
    case 'over-memory':
      return void life.handle({ type: what, worker })
    case 'calls':
      return void life.handle({ type: what, worker, count: pick })
    case 'cut':
    case 'stuck':
      return void life.handle({ type: 'blocked', worker, how: what })
    case 'drained':
      return void life.handle({ type: what, worker, clean: pick % 4 !== 0, written: pick % 3 !== 0 })
    case 'exited':
      if (life.alive.has(worker)) life.exit(worker)
      return undefined
    case 'orphaned': {
      const dead = [...life.orphaned][pick % Math.max(1, life.orphaned.size)] ?? 'w1'
      return void life.handle({ type: what, worker: dead, lost: pick % 2 })
    }
    case 'signal':
    case 'drain':
      // Rarely: most of a life is not its end.
      if (pick === 0) life.handle({ type: what })
      return undefined
    case 'reload':
      return void life.handle({ type: 'reload' })
    case 'unknown':
      return void life.handle({ type: 'exited', worker: 'w999' })
    case 'late':
      return void life.handle({ type: 'timer', timer: 'next', due: life.now - 1 })
    case 'a while':
      return life.elapse(100 * pick)
    case 'long':
      return life.elapse(10_000 * pick)
  }
}
