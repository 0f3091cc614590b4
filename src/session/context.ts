import type { PartContext, Usage } from '../parts/index.ts'
import { Scope, type Untimed } from '../scope/index.ts'
import type { SessionHandle } from './answering/agent.ts'
import type { Ends } from './closing/asks.ts'
import { spentShare } from './closing/caps.ts'
import { SessionBook } from './closing/session-book.ts'
import type { SessionEvent } from './closing/session-machine.ts'
import { Emitter } from './emitter.ts'
import type { SessionEvents } from './events.ts'
import type { TurnEvent } from './hearing/turn-events.ts'
import { History } from './history/history.ts'
import type { Recorder } from './recording/recorder.ts'
import type { SessionSettings } from './settings.ts'

/** A machine that takes notes from other stations. */
export interface Notes<Event> {
  handle(event: Untimed<Event>): void
}

/** What all stations of a session share. Made once per session and passed along. */
export class SessionContext {
  readonly settings: SessionSettings
  readonly history: History
  readonly events: Emitter<SessionEvents>
  readonly book: SessionBook
  /** The session, as hooks and tools see it. Set by `Session`. */
  session!: SessionHandle
  /** How to end the session. Set by `Closing`. */
  ends!: Ends
  /** The session machine: takes notes about what may end the session. Set by `Closing`. */
  life!: Notes<SessionEvent>
  /** The turn machine: takes notes about what the agent does. Set by `Hearing`. */
  turns!: Notes<TurnEvent>
  /** Whether new turns may begin. A realtime model must not answer on its own otherwise. */
  takesTurns = false
  /** Set while the call is recorded. */
  recorder: Recorder | undefined
  /** When something last moved: words, sound, a tool, a reply. An end is stuck if nothing moves (CL3). */
  movedAt = 0
  /** Called when something in flight has finished. Set while a graceful end waits for that. */
  onSettled: (() => void) | undefined
  #scope: Scope<'work' | 'rest'> | undefined
  #rest: Scope<'links' | 'stores'> | undefined

  constructor(settings: SessionSettings) {
    const { id, history } = settings
    this.settings = settings
    this.history = history ? History.from(history) : new History()
    this.book = new SessionBook(id, this.history)
    this.events = new Emitter('closed', (event, error) => this.failed(`listener of '${event}'`, error))
  }

  /**
   * Owns everything of the session, in the order in which it is ended:
   *
   *   work ──▶ rest: links ──▶ stores
   *
   * `rest` is a scope of its own, so that the last words, which are work, may take half of the time and not a third.
   * Hooks run in the last phase: the close awaits them like everything else, but they hold nothing back (CL4).
   *
   * Made when first needed: a session that is never started owns nothing.
   */
  get scope(): Scope<'work' | 'rest'> {
    if (this.#scope) return this.#scope
    const { id, clock, closeTimeout, intercept, onLate } = this.settings
    this.#scope = new Scope(`session ${id}`, {
      phases: ['work', 'rest'],
      clock,
      closeTimeout,
      ...(intercept ? { intercept } : {}),
      ...(onLate ? { onLate } : {}),
      onProblem: ({ where }, error) => this.failed(where, error),
    })
    this.#rest = this.#scope.child('rest', { phase: 'rest', phases: ['links', 'stores'] })
    return this.#scope
  }

  /** The time, in milliseconds of the session's clock. */
  get now(): number {
    return this.settings.clock.now()
  }

  /** Whether the session has not begun to close. */
  get isOpen(): boolean {
    return this.scope.state === 'live'
  }

  /** Owns hooks, and what keeps the results of the call. */
  get stores(): Scope<'links' | 'stores'> {
    // Made together with the session's scope.
    return this.scope && this.#rest!
  }

  /** For the line and the models. */
  links(): PartContext {
    return this.#partContext(this.stores.child('links', { phase: 'links' }))
  }

  toolset(name: string): PartContext {
    return this.#partContext(this.stores.child(`toolset ${name}`, { phase: 'stores' }))
  }

  /** A model used something: it counts towards the report and the budget. */
  used(usage: Usage): void {
    this.book.used(usage)
    this.spent()
  }

  /** Something was spent: notes how much of the budget is used. */
  spent(): void {
    const { budget } = this.settings
    if (budget) this.life.handle({ type: 'spent', share: spentShare(budget, this.book) })
  }

  /** Something failed; the session goes on. */
  failed(where: string, error: unknown): void {
    const { logger, id } = this.settings
    logger.warn({ session: id, where, error }, 'something failed')
    // A listener of `error` that throws must not be called with its own error.
    if (where !== "listener of 'error'") this.events.emit('error', { where, error })
  }

  #partContext(scope: Scope<string>): PartContext {
    const { network, random, logger } = this.settings
    return { scope, network, random, logger, ended: this.book.connection }
  }
}
