import { exitCodes } from '../exit-codes.ts'
import { advance, changeTimers } from '../../scope/index.ts'
import { callPlaces, type CallPlaces } from './call-places.ts'
import { limits } from './limits.ts'
import { Replacements } from './replacements.ts'
import {
  type ReplaceReason,
  type SupervisorCommand,
  type SupervisorEvent,
  type SupervisorPhase,
  type SupervisorTimer,
  type WorkerEvent,
  type WorkerRole,
} from './supervisor-events.ts'
import { isActive, type SupervisorSettings, type WorkerState } from './worker-state.ts'

interface State {
  now: number
  timers: Partial<Record<SupervisorTimer, number | undefined>>
  phase: SupervisorPhase
  ready: boolean
  signals: number
  /** Names count up and are never used again: the journal knows a worker by its name. */
  spawned: number
  /** In order of their start. */
  readonly workers: Map<string, WorkerState>
  /** Calls that wait for a worker. */
  waiting: number
  /** Dead workers whose calls the journal has not taken from them yet, and whether they reported that all had been written. */
  readonly orphaning: Map<string, boolean>
  /** Until when to wait for the journal, once all workers have ended. */
  orphanBy: number | undefined
  unclean: boolean
  unwritten: boolean
  hopeless: boolean
}

/**
 * The life of a supervisor and its workers. A pure machine: an event goes in, commands come out.
 *
 *   supervisor   new ── start ──▶ running ── signal, drain ──▶ draining ── second signal ──▶ closing ── third ──▶ killing
 *                                    └── no worker is ever ready ────────────────────────────▶ │                    │
 *                                                              no worker is left: ended ◀──────┴────────────────────┘
 *
 *   worker       spawn ──▶ starting ── ready ──▶ ready ── cut, memory, drain ──▶ draining ── time is up ──▶ closing
 *                             │ start timeout      │ stuck                          │ stuck                   │ time is up
 *                             └────────────────────┴──────▶ dying ◀─────────────────┴─────────────────────────┘
 *                from any phase: exited ──▶ its calls are orphaned
 *
 * A call worker that is neither starting nor ready is replaced at once, while its own calls go on. After young deaths in a
 * row replacements have to wait: `Replacements` decides. An isolated worker drains after its first call.
 */
export class SupervisorMachine {
  readonly #settings: SupervisorSettings
  readonly #replacements: Record<WorkerRole, Replacements> = {
    calls: new Replacements(),
    work: new Replacements(),
  }
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    ready: false,
    signals: 0,
    spawned: 0,
    workers: new Map(),
    waiting: 0,
    orphaning: new Map(),
    orphanBy: undefined,
    unclean: false,
    unwritten: false,
    hopeless: false,
  }

  constructor(settings: SupervisorSettings) {
    this.#settings = settings
  }

  get phase(): SupervisorPhase {
    return this.#state.phase
  }

  get ready(): boolean {
    return this.#state.ready
  }

  /** Whether another call worker will be ready soon. */
  get grows(): boolean {
    return this.#state.phase === 'running' && this.#places().grows
  }

  get workers(): readonly Readonly<WorkerState>[] {
    return [...this.#state.workers.values()]
  }

  handle(event: SupervisorEvent): SupervisorCommand[] {
    const state = this.#state
    if (!advance(state, event) || state.phase === 'ended') return []
    const commands = [...this.#take(event), ...this.#fill(), ...this.#makeRoom(), ...this.#finish()]
    const ready = state.phase === 'running' && this.#active('calls').some(({ phase }) => phase === 'ready')
    if (ready !== state.ready) {
      state.ready = ready
      // First of all: a host that drains is not ready before anything else happens (HO3).
      commands.unshift({ type: 'readiness', ready })
    }
    return [...changeTimers(state, this.#timers()), ...commands]
  }

  #take(event: SupervisorEvent): SupervisorCommand[] {
    const state = this.#state
    switch (event.type) {
      case 'start':
        if (state.phase === 'new') state.phase = 'running'
        return []
      case 'timer':
        return this.#overdue()
      case 'signal':
      case 'drain':
        return this.#stop(event.type)
      case 'orphaned':
        return this.#orphaned(event.worker, event.lost)
      case 'waiting':
        state.waiting = event.count
        return []
      case 'ready':
      case 'calls':
      case 'blocked':
      case 'over-memory':
      case 'drained':
      case 'exited':
        break
    }
    const worker = state.workers.get(event.worker)
    return worker ? this.#heard(worker, event) : []
  }

  #heard(worker: WorkerState, event: WorkerEvent): SupervisorCommand[] {
    switch (event.type) {
      case 'ready':
        if (worker.phase !== 'starting') return []
        worker.phase = 'ready'
        worker.due = undefined
        this.#replacements[worker.role].ready(worker.name, this.#state.now)
        return []
      case 'calls':
        return this.#counted(worker, event.count)
      case 'drained':
        worker.drained = { clean: event.clean, written: event.written }
        return []
      case 'blocked':
        return event.how === 'stuck' ? this.#kill(worker, 'stuck') : this.#retire(worker, 'cut')
      case 'over-memory':
        return this.#retire(worker, 'memory')
      case 'exited':
        break
    }
    return this.#gone(worker)
  }

  // ── workers ──

  /** The workers of a role that count: the others have been replaced, or the supervisor is ending. */
  #active(role: WorkerRole): WorkerState[] {
    return this.workers.filter((each) => each.role === role && isActive(each))
  }

  /** Starts the workers that are missing. */
  #fill(): SupervisorCommand[] {
    const state = this.#state
    if (state.phase !== 'running') return []
    return roles.flatMap((role) => {
      if (this.#replacements[role].notBefore > state.now) return []
      return Array.from({ length: this.#missing(role) }, () => this.#spawn(role))
    })
  }

  #missing(role: WorkerRole): number {
    if (role === 'calls') return this.#places().missing
    return Math.max(0, Number(this.#settings.work) - this.#active(role).length)
  }

  #places(): CallPlaces {
    return callPlaces(this.#settings, this.workers, this.#state.waiting)
  }

  #spawn(role: WorkerRole): SupervisorCommand {
    const state = this.#state
    const name = `${role === 'calls' ? 'w' : 'work'}${++state.spawned}`
    state.workers.set(name, {
      name,
      role,
      phase: 'starting',
      due: state.now + limits.start,
      calls: 0,
      drained: undefined,
    })
    this.#replacements[role].spawned(name)
    return { type: 'spawn', worker: name, role }
  }

  #counted(worker: WorkerState, count: number): SupervisorCommand[] {
    const hasEnded = worker.calls > 0 && count === 0
    worker.calls = count
    return hasEnded && this.#settings.isolated && worker.phase === 'ready' ? this.#finished(worker) : []
  }

  /** The call of an isolated worker has ended. The worker exits, which is not a death. */
  #finished(worker: WorkerState): SupervisorCommand[] {
    this.#replacements[worker.role].finished(worker.name)
    const commands = this.#drain(worker)
    // No call is left that could take longer.
    worker.due = this.#state.now + this.#settings.closeTimeout + limits.exit
    return commands
  }

  /** Takes an active worker out of the count, so that it is replaced. */
  #lose(worker: WorkerState, why: ReplaceReason): SupervisorCommand[] {
    const state = this.#state
    if (!isActive(worker) || state.phase !== 'running') return []
    const { name, role } = worker
    const replacements = this.#replacements[role]
    const { pause, deaths } = replacements.lost(name, state.now)
    if (role === 'calls' && deaths >= limits.hopeless && !replacements.everReady) {
      state.hopeless = true
      state.phase = 'closing'
      return this.workers.flatMap((each) => (each === worker ? [] : this.#close(each)))
    }
    return [
      { type: 'replace', worker: name, role, why },
      ...(pause > 0 ? [{ type: 'pause', role, pause, deaths } as const] : []),
    ]
  }

  /** The worker takes no new calls, finishes those it has, and is replaced meanwhile. */
  #retire(worker: WorkerState, why: ReplaceReason): SupervisorCommand[] {
    if (!isActive(worker)) return []
    const commands = this.#lose(worker, why)
    return [...commands, ...this.#drain(worker)]
  }

  #drain(worker: WorkerState): SupervisorCommand[] {
    // A worker that is not ready has no calls to finish.
    if (worker.phase === 'starting') return this.#close(worker)
    if (worker.phase !== 'ready') return []
    const within = this.#settings.drainTimeout
    worker.phase = 'draining'
    worker.due = this.#state.now + within + limits.goodbye
    return [{ type: 'drain', worker: worker.name, within }]
  }

  #close(worker: WorkerState): SupervisorCommand[] {
    if (worker.phase === 'closing' || worker.phase === 'dying') return []
    const within = this.#settings.closeTimeout
    worker.phase = 'closing'
    worker.due = this.#state.now + within + limits.exit
    return [{ type: 'close', worker: worker.name, within }]
  }

  #kill(worker: WorkerState, why: ReplaceReason): SupervisorCommand[] {
    if (worker.phase === 'dying') return []
    const commands = this.#lose(worker, why)
    worker.phase = 'dying'
    worker.due = this.#state.now + limits.kill
    return [...commands, { type: 'kill', worker: worker.name }]
  }

  /** The process has ended, or cannot be made to. */
  #gone(worker: WorkerState): SupervisorCommand[] {
    const state = this.#state
    const { name, role, drained } = worker
    const commands = this.#lose(worker, 'exited')
    state.workers.delete(name)
    if (role === 'calls') {
      if (drained && !drained.clean) state.unclean = true
      if (drained && !drained.written) state.unwritten = true
    }
    // Even if the worker reported the end of its calls: it runs foreign code, and the journal knows better.
    state.orphaning.set(name, role === 'work' || drained?.written === true)
    return [...commands, { type: 'orphan', worker: name, role }]
  }

  #orphaned(worker: string, lost: number): SupervisorCommand[] {
    const state = this.#state
    if (!state.orphaning.delete(worker)) return []
    if (lost > 0) state.unclean = true
    return []
  }

  /** Replaced workers drain for minutes. If they pile up, the oldest close their calls. */
  #makeRoom(): SupervisorCommand[] {
    const { workers, isolated } = this.#settings
    if (this.#state.phase !== 'running') return []
    // An isolated worker without a call exits by itself.
    const draining = this.workers.filter(
      ({ phase, calls }) => phase === 'draining' && (calls > 0 || !isolated),
    )
    const room = isolated?.maxCalls ?? limits.draining * workers
    return draining.slice(0, Math.max(0, draining.length - room)).flatMap((worker) => this.#close(worker))
  }

  // ── the end ──

  #stop(by: 'signal' | 'drain'): SupervisorCommand[] {
    const state = this.#state
    if (by === 'signal') state.signals++
    if (state.phase === 'new' || state.phase === 'running') {
      state.phase = 'draining'
      return this.workers.flatMap((worker) => (worker.role === 'calls' ? this.#drain(worker) : []))
    }
    if (by === 'drain' || state.signals < 2) return []
    if (state.phase === 'draining') {
      state.phase = 'closing'
      return this.workers.flatMap((worker) => this.#close(worker))
    }
    if (state.phase !== 'closing' || (state.signals < 3 && !state.hopeless)) return []
    state.phase = 'killing'
    return this.workers.flatMap((worker) => this.#kill(worker, 'exited'))
  }

  /** Ends the work worker after the last call worker, so that the last calls' work can begin. Ends the supervisor after both. */
  #finish(): SupervisorCommand[] {
    const state = this.#state
    if (state.phase === 'new' || state.phase === 'running') return []
    const { workers } = this
    if (workers.length > 0)
      return workers.some(({ role }) => role === 'calls')
        ? []
        : workers.flatMap((worker) => this.#close(worker))
    state.orphanBy ??= state.now + this.#settings.closeTimeout
    if (state.orphaning.size > 0 && state.now < state.orphanBy) return []
    if ([...state.orphaning.values()].includes(false)) state.unwritten = true
    const code = this.#exitCode()
    state.phase = 'ended'
    return [{ type: 'exit', code }]
  }

  #exitCode(): number {
    const { hopeless, phase, unwritten, unclean } = this.#state
    if (hopeless) return exitCodes.hopeless
    if (phase === 'killing') return exitCodes.killed
    if (unwritten) return exitCodes.unwritten
    return unclean ? exitCodes.unclean : exitCodes.clean
  }

  // ── time ──

  #overdue(): SupervisorCommand[] {
    const { now } = this.#state
    const due = this.workers.filter((worker) => worker.due !== undefined && worker.due <= now)
    return due.flatMap((worker) => this.#timeUp(worker))
  }

  #timeUp(worker: WorkerState): SupervisorCommand[] {
    switch (worker.phase) {
      case 'starting':
        return this.#kill(worker, 'start-timeout')
      case 'draining':
        return this.#close(worker)
      case 'closing':
        return this.#kill(worker, 'exited')
      case 'dying':
        return this.#gone(worker)
      case 'ready':
        break
    }
    return []
  }

  /** There is one timer, for whatever is due next. It is derived from the state, so nothing can be forgotten. */
  #timers(): Map<SupervisorTimer, number> {
    const { phase, now, orphanBy } = this.#state
    if (phase === 'ended') return new Map()
    const dues = this.workers.flatMap(({ due }) => (due === undefined ? [] : [due]))
    if (orphanBy !== undefined) dues.push(orphanBy)
    if (phase === 'running')
      for (const role of roles) if (this.#missing(role) > 0) dues.push(this.#replacements[role].notBefore)
    return new Map(dues.length > 0 ? [['next', Math.max(now, Math.min(...dues))]] : [])
  }
}

const roles: readonly WorkerRole[] = ['calls', 'work']
