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
import { exitCodeOf, newSupervisorState, type SupervisorState } from './supervisor-state.ts'
import { isActive, type SupervisorSettings, type WorkerState } from './worker-state.ts'

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
 *
 *   reload       workers of the new program start ── one is ready ──▶ those of earlier programs drain
 *                                                 └─ it could not be loaded ──▶ those of earlier programs go on
 */
export class SupervisorMachine {
  readonly #settings: SupervisorSettings
  readonly #replacements: Record<WorkerRole, Replacements> = {
    calls: new Replacements(),
    work: new Replacements(),
  }
  readonly #state: SupervisorState = newSupervisorState()

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
      case 'reload':
        return this.#reload()
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
        return this.#earlier(worker).flatMap((each) => this.#finished(each))
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
    const { generation, failed, waiting } = this.#state
    // Workers of an earlier program are about to drain, unless the new one could not be loaded.
    const leaves = (each: WorkerState): boolean => failed !== generation && this.#isEarlier(each)
    const counted = this.workers.map((each) =>
      leaves(each) ? { ...each, phase: 'draining' as const } : each,
    )
    return callPlaces(this.#settings, counted, waiting)
  }

  // ── another program ──

  /** Starts workers with another program. Those of earlier ones go on until one of the new is ready (RL1). */
  #reload(): SupervisorCommand[] {
    const state = this.#state
    if (state.phase !== 'running') return []
    state.generation++
    this.#replacements.calls.renew()
    return this.#active('calls').flatMap((worker) =>
      worker.phase === 'starting' ? this.#discard(worker) : [],
    )
  }

  /** Whether a worker takes calls, with a program that is not the latest. */
  #isEarlier(worker: WorkerState): boolean {
    return worker.role === 'calls' && isActive(worker) && worker.generation < this.#state.generation
  }

  /** The workers that a call worker of the latest program replaces. */
  #earlier({ role, generation }: WorkerState): WorkerState[] {
    if (role !== 'calls' || generation < this.#state.generation) return []
    return this.workers.filter((each) => this.#isEarlier(each))
  }

  /** Ends a worker that has not been ready. That is no death. */
  #discard(worker: WorkerState): SupervisorCommand[] {
    this.#replacements[worker.role].finished(worker.name)
    worker.phase = 'dying'
    worker.due = this.#state.now + limits.kill
    return [{ type: 'kill', worker: worker.name }]
  }

  /** The program of a worker could not be loaded: those of an earlier one go on (RL2). */
  #notLoaded(worker: WorkerState): SupervisorCommand[] {
    this.#state.failed = this.#state.generation
    this.#replacements[worker.role].finished(worker.name)
    return [{ type: 'not-loaded', worker: worker.name }]
  }

  #spawn(role: WorkerRole): SupervisorCommand {
    const state = this.#state
    const name = `${role === 'calls' ? 'w' : 'work'}${++state.spawned}`
    state.workers.set(name, {
      name,
      role,
      generation: state.generation,
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
    return hasEnded && this.#settings.isolated && worker.phase === 'ready' ? this.#finishedCall(worker) : []
  }

  /** The call of an isolated worker has ended. */
  #finishedCall(worker: WorkerState): SupervisorCommand[] {
    const commands = this.#finished(worker)
    // No call is left that could take longer.
    worker.due = this.#state.now + this.#settings.closeTimeout + limits.exit
    return commands
  }

  /** The worker exits after its calls, which is not a death. */
  #finished(worker: WorkerState): SupervisorCommand[] {
    this.#replacements[worker.role].finished(worker.name)
    return this.#drain(worker)
  }

  /** Takes an active worker out of the count, so that it is replaced. */
  #lose(worker: WorkerState, why: ReplaceReason): SupervisorCommand[] {
    const state = this.#state
    if (!isActive(worker) || state.phase !== 'running') return []
    const { name, role } = worker
    const replacements = this.#replacements[role]
    if (worker.phase === 'starting' && this.#earlier(worker).length > 0) return this.#notLoaded(worker)
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
    const closed = (isEarlier: boolean, room: number): SupervisorCommand[] => {
      const some = draining.filter(({ generation }) => generation < this.#state.generation === isEarlier)
      const count = Math.max(0, some.length - (isolated?.maxCalls ?? room * workers))
      return some.slice(0, count).flatMap((worker) => this.#close(worker))
    }
    return [...closed(false, limits.draining), ...closed(true, limits.earlier)]
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
    const code = exitCodeOf(state)
    state.phase = 'ended'
    return [{ type: 'exit', code }]
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
