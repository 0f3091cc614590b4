import type { LineConnection, PartContext, PartUsage } from '../parts/index.ts'
import { Burst, OptionError, Scope, type Untimed } from '../scope/index.ts'
import type { SessionHandle } from './answering/agent.ts'
import type { Ends, Hold, HoldOptions, Transfer } from './closing/asks.ts'
import { spentShare } from './closing/caps.ts'
import { listedPrices } from './closing/price-list.ts'
import { SessionBook } from './closing/session-book.ts'
import type { SessionEvent } from './closing/session-events.ts'
import { Emitter } from './emitter.ts'
import type { SessionEvents } from './events.ts'
import type { TurnEvent } from './hearing/turn-events.ts'
import { History } from './history/history.ts'
import { Recorder } from './recording/recorder.ts'
import { limits } from './limits.ts'
import type { Pickups, Tap } from './pickup/answered.ts'
import type { SessionSettings } from './settings.ts'

/** Accepts events for one of the two machines. */
export interface EventSink<Event> {
  handle(event: Untimed<Event>): void
}

/** The models and voices whose failures are counted. A realtime model may fail to answer, or to say given words. */
export type Part = 'llm' | 'tts' | 'realtime' | 'realtime voice'

/** What all stations of a session share. There is one per session. */
export class SessionContext {
  readonly settings: SessionSettings
  readonly history: History
  readonly events: Emitter<SessionEvents>
  readonly book: SessionBook
  /** The session, as hooks and tools see it. Set by `Session`. */
  session!: SessionHandle
  /** How to end the session. Set by `Closing`. */
  ends!: Ends
  /** How to put the caller on hold. Set by `Session`. */
  holds!: { hold(options?: HoldOptions): Hold }
  /** How to hand the caller over to a person. Set by `Session`. */
  transfers!: Transfer
  /** Finds out who answered, and leaves messages. Set by `Session`; made when it is first needed. */
  pickups!: () => Pickups
  /** Gets what is heard, while somebody wants to know who answered. */
  tap: Tap | undefined
  /** Telephone keys that the agent presses or pressed last, and until when their echo may be heard (KY3). */
  echo: { readonly keys: string; until: number } | undefined
  /** Settles when nothing is waited for that may take longer than a hook: who answered, or a message that is left. */
  patience: Promise<unknown> | undefined
  /** The session machine: takes events that may end the session. Set by `Closing`. */
  lifecycle!: EventSink<SessionEvent>
  /** The turn machine: takes events about what the agent does. Set by `Hearing`. */
  turns!: EventSink<TurnEvent>
  /** Whether new turns may begin. If not, a realtime model must not answer on its own. */
  takesTurns = false
  /** Replies and speeches take a step before they begin (FA5). */
  readonly burst: Burst
  /** The parts that are being opened. */
  readonly opening = new Set<string>()
  /** The connection to the caller. Set once the line is open. */
  line: LineConnection | undefined
  /** Set while the call is recorded. */
  recorder: Recorder | undefined
  /** When something last made progress: words, sound, a tool, a reply. A graceful end without progress is stuck (CL3). */
  movedAt = 0
  /** Until when a warm transfer may take, while there is one. A graceful end waits for it: it is part of the turn (CL3). */
  transfersUntil = 0
  /** Called when the agent begins or ends to think. Set if the session has sounds. */
  onThinking: ((thinks: boolean) => void) | undefined
  /** Called when a reply, a speech or a tool has finished. Set while a graceful end waits for that. */
  onFinished: (() => void) | undefined
  /** The error of the model or voice that failed last. */
  lastFailure: { readonly error: unknown } | undefined
  #scope: Scope<'work' | 'rest'> | undefined
  #rest: Scope<'links' | 'stores'> | undefined

  constructor(settings: SessionSettings) {
    const { id, history, priceList, models } = settings
    this.settings = settings
    this.history = history ? History.from(history) : new History()
    const listed = priceList && listedPrices(priceList, Object.values(models as object))
    const prices = listed ? { ...listed, ...settings.prices } : settings.prices
    this.book = new SessionBook(id, settings.line.name, this.history, prices, priceList?.currency)
    this.burst = new Burst(settings.clock, limits.burst)
    this.events = new Emitter('closed', (event, error) => this.failed(`listener of '${event}'`, error))
  }

  /**
   * Owns everything in the session, and closes it in this order:
   *
   *   work ──▶ rest: links ──▶ stores
   *
   * `rest` is a separate scope, so that waiting for the last words, which is `work`, may take half of the time, not a third.
   * Hooks run in the last phase: the close awaits them like everything else, but they do not delay the links (CL4).
   *
   * Created on first use: a session that is never started owns nothing.
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

  /** Owns hooks, the recorder and toolsets. */
  get stores(): Scope<'links' | 'stores'> {
    // Created together with the session's scope.
    return this.scope && this.#rest!
  }

  /** For the line and the models. */
  links(name = 'links'): PartContext {
    return this.#partContext(this.stores.child(name, { phase: 'links' }), name)
  }

  toolset(name: string): PartContext {
    return this.#partContext(this.stores.child(`toolset ${name}`, { phase: 'stores' }), name)
  }

  /** A context in which the usage that a part reports is counted as its own. */
  counting(context: PartContext, { name }: { readonly name: string }): PartContext {
    return { ...context, used: (usage) => this.used(usage, name) }
  }

  /**
   * Waits for a part to open, and checks that it has its methods: a part without one would fail in the middle of a call.
   * `opening` has the names of parts that are not open yet.
   */
  async opened<T extends object>(
    name: string,
    part: PromiseLike<T>,
    methods: readonly (keyof T & string)[],
  ): Promise<T> {
    this.opening.add(name)
    const open = await part
    this.opening.delete(name)
    const missing = methods.find((method) => typeof (open as Partial<T> | undefined)?.[method] !== 'function')
    if (missing === undefined) return open
    throw new OptionError(
      `the ${name} has no method ${missing}(): open() must return an object with ${methods.join(', ')}`,
    )
  }

  /** Has hooks wait for a promise that never rejects, and returns it: the time of a hook does not run meanwhile. */
  async patiently<T>(waiting: Promise<T>): Promise<T> {
    this.patience = waiting
    try {
      return await waiting
    } finally {
      if (this.patience === waiting) this.patience = undefined
    }
  }

  /** Records the call, if the session has a place for it. */
  record(): void {
    const { recording, line, clock } = this.settings
    if (!recording) return
    const onError = (error: unknown): void => this.failed('recording', error)
    const recorder = new Recorder({ sink: recording, clock, sampleRate: line.hears.sampleRate, onError })
    this.recorder = this.stores.own('recorder', recorder, { phase: 'stores' })
  }

  /** Counts what a model used towards the report and the budget. `name` is that of the part that reports it. */
  used(usage: PartUsage, name: string): void {
    this.book.used(usage, name)
    this.spent()
  }

  /** Reports to the session machine how much of the budget is used. */
  spent(): void {
    const { budget } = this.settings
    if (budget) this.lifecycle.handle({ type: 'spent', share: spentShare(budget, this.book) })
  }

  /** Logs, records and emits a failure that does not end the session. `where` names the part, hook or listener. */
  failed(where: string, error: unknown): void {
    const { logger, id } = this.settings
    this.book.failed(where, error, this.now)
    logger.warn({ session: id, where, error }, 'something failed')
    // An `error` listener that throws must not be called with its own error.
    if (where !== "listener of 'error'") this.events.emit('error', { where, error })
  }

  /** A model or a voice failed (FA2). The session machine counts, and apologises or ends the session. */
  partFailed(part: Part, error: unknown, where: string = part): void {
    this.failed(where, error)
    this.lastFailure = { error }
    const canSpeak = part === 'llm' || part === 'realtime'
    this.lifecycle.handle({ type: 'part-failed', part, canSpeak })
  }

  /** A model answered, or a voice was heard: its earlier failures no longer count. */
  partWorked(part: Part): void {
    this.lifecycle.handle({ type: 'part-worked', part })
  }

  #partContext(scope: Scope<string>, name: string): PartContext {
    const { network, random, logger } = this.settings
    const used = (usage: PartUsage): void => this.used(usage, name)
    return { scope, network, random, logger, ended: this.book.connection, used }
  }
}
