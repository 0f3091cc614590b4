import type { TransferOutcome } from '../parts/index.ts'
import {
  EndwellError,
  ScopeClosedError,
  noop,
  type Change,
  type Inspection,
  type TaskContext,
} from '../scope/index.ts'
import type { Agent, SessionHandle } from './answering/agent.ts'
import { Answering, notPressed } from './answering/answering.ts'
import type { CallerMessage } from './answering/caller-message.ts'
import { ActiveReply } from './answering/replies.ts'
import { replyNames, type Reply, type ReplyOptions } from './answering/reply.ts'
import type {
  CloseAsk,
  CloseSessionOptions,
  HangUpOptions,
  HangUpOutcome,
  Hold,
  HoldOptions,
  TransferOptions,
} from './closing/asks.ts'
import { Closing } from './closing/closing.ts'
import type { SessionReport } from './closing/report.ts'
import type { SessionState } from './closing/session-events.ts'
import { Holds } from './closing/holds.ts'
import { recordCall } from './recording/record-call.ts'
import { Transfers } from './closing/transfers.ts'
import { SessionContext } from './context.ts'
import type { EventOf } from './emitter.ts'
import { SessionClosedError, StartTimeoutError } from './errors.ts'
import type { SessionEvents } from './events.ts'
import { Hearing } from './hearing/hearing.ts'
import type { History } from './history/history.ts'
import { openLine } from './open-line.ts'
import type { Answered, AnsweredByOptions, LeaveMessageOptions, MessageOutcome } from './pickup/answered.ts'
import { Pickup } from './pickup/pickup.ts'
import { sessionSettings, type SessionOptions } from './settings.ts'
import { Speaking } from './speaking/speaking.ts'
import { Speech, speechNames, type PressOutcome, type SpeechOptions } from './speaking/speech.ts'

/**
 * One conversation with one caller. It always ends: once, on time, leaving nothing behind, with a report.
 *
 * ```ts
 * const session = new Session({ agent, models, line })
 * session.on('closed', (report) => save(report))
 * await session.start()
 * ```
 *
 * An utterance goes through the stations in one direction. Each station knows only the next one:
 *
 *   line ─frame─▶ Hearing ─turn─▶ Answering ─words or sound─▶ Speaking ─frame─▶ line
 *                 VAD, STT,       agents, tools,              queue, voice,
 *                 turn machine    guardrails, mind            playout machine, what was heard
 *                    ▲                                            │
 *                    └── event: the agent is audible, thinks ──────┘
 *
 *   Closing   from the side: session machine, graceful ends, caps, last words, report, after-call work
 *   Context   one object for all: settings, scope, history, events, the session's book, events for the two machines
 *
 * An interruption goes the same way as one synchronous call: Hearing ─▶ Answering ─▶ Speaking ─▶ line.clear().
 * A realtime model is a mind in Answering that also hears and speaks: it takes Hearing's sound, and gives Speaking its own.
 */
export class Session implements SessionHandle {
  /** Has the carrier start, pause, resume or stop recording the call. Resolves to whether that is confirmed (RC1). */
  readonly recordCall: SessionHandle['recordCall'] = (change) => recordCall(this.#context, change)
  readonly #context: SessionContext
  readonly #closing: Closing
  #starting: Promise<void> | undefined

  constructor(options: SessionOptions) {
    this.#context = new SessionContext(sessionSettings(options))
    this.#closing = new Closing(this.#context)
    const holds = new Holds(this.#context, this.#closing)
    this.#context.holds = holds
    this.#context.transfers = new Transfers(this.#context, this.#closing, holds, (own) => new Session(own))
    let pickup: Pickup | undefined
    const pickups = (): Pickup => (pickup ??= new Pickup(this.#context, this.#closing))
    this.#context.pickups = pickups
    this.#context.session = this
  }

  get id(): string {
    return this.#context.settings.id
  }

  get state(): SessionState {
    return this.#closing.state
  }

  get history(): History {
    return this.#context.history
  }

  /** What the call has used so far. */
  get usage(): SessionReport['usage'] {
    return this.#context.book.usage
  }

  /** What the call has cost so far. Undefined without prices. */
  get cost(): SessionReport['cost'] {
    return this.#context.book.cost
  }

  /** Aborts when the session begins to close. */
  get signal(): AbortSignal {
    return this.#context.scope.signal
  }

  /** Resolves with the report once the session has closed. Awaiting it does not close the session. */
  get closed(): Promise<SessionReport> {
    return this.#closing.closed
  }

  /** Resolves once the after-call handlers have finished as well. */
  get afterCall(): Promise<void> {
    return this.#closing.afterCall
  }

  /** Lists everything that the session owns. A listener is called whenever that changes (SC15). */
  inspect(listener?: (change: Change) => void): Inspection {
    return this.#context.scope.inspect(listener)
  }

  // ── listening ──

  /** Returns an unsubscribe function. A listener that throws affects no other. */
  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (data: SessionEvents[Name]) => unknown,
  ): () => void {
    return this.#context.events.on(name, listener)
  }

  /** Iterates over all events until the session has closed. Leaving the loop does not close the session. */
  events(): AsyncIterableIterator<EventOf<SessionEvents>> {
    return this.#context.events.iterate()
  }

  /** Iterates over all events. Leaving the loop closes the session. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EventOf<SessionEvents>, void, undefined> {
    try {
      yield* this.events()
    } finally {
      await this.close({ by: 'end of the for await loop' })
    }
  }

  // ── starting ──

  /** Opens the line and the models. Rejects if that fails, or if the session is closed meanwhile (CL8). */
  start(): Promise<void> {
    if (!this.#starting || this.#closing.isClosing) this.#starting = this.#start()
    // A caller may drop the promise and close the session while it starts: no unhandled rejection then.
    this.#starting.catch(noop)
    return this.#starting
  }

  async #start(): Promise<void> {
    this.#assertOpen('start')
    const { book, scope, settings } = this.#context
    const { startTimeout, clock } = settings
    book.started(clock)
    const opening = scope.spawn('start', (task) => this.#open(task))
    let late: StartTimeoutError | undefined
    const timer = scope.after(startTimeout, 'start timeout', () => {
      late = new StartTimeoutError(startTimeout, [...this.#context.opening])
      opening.cancel(late.message)
    })
    try {
      await opening.result
      timer.clear()
    } catch (thrown) {
      timer.clear()
      // Never the scope's own error: the scope is not the application's.
      const error =
        late ??
        (thrown instanceof ScopeClosedError
          ? new SessionClosedError('start', 'closing', { cause: thrown })
          : thrown)
      this.#assertOpen('start', error)
      this.#closing.broken('start', error)
      throw error
    }
    // A listener of one of the first events may have closed the session.
    this.#assertOpen('start')
  }

  async #open(task: TaskContext): Promise<void> {
    const { settings, events } = this.#context
    this.#context.record()
    const speaking = new Speaking(this.#context)
    const answering = new Answering(this.#context, speaking)
    const hearing = new Hearing(this.#context, answering, speaking)
    const stations = { hearing, answering, speaking }
    const part = this.#context.links()
    // All at once: the caller waits for the slowest part, not for the sum.
    const parts = [
      openLine(this.#context, this.#closing, stations, part),
      hearing.open(part),
      answering.open(part),
      speaking.open(part),
    ] as const
    const [early] = await task.until(Promise.all(parts))
    this.#closing.stations = stations
    await task.until(answering.agents.open(settings.agent))
    hearing.takeTurns()
    this.#closing.opened()
    if (!this.#closing.isClosing) events.emit('started', { id: this.id })
    if (!this.#closing.isClosing) answering.agents.greet()
    if (!this.#closing.isClosing) early.takeAll()
  }

  // ── talking ──

  /**
   * Speaks a text, or a stream of text as it arrives. If the session is ending or closed, nothing is said, and the outcome of
   * the speech is `failed` (CL10).
   */
  say(text: string | AsyncIterable<string>, options?: SpeechOptions): Speech {
    const work = this.#closing.work('say')
    const own = this.#closing.optionsOf('say', options, speechNames)
    return work instanceof EndwellError ? Speech.refused(work, own) : work.answering.say(text, own)
  }

  /**
   * Lets the agent answer the conversation as it stands, optionally with extra instructions. If the session is ending or
   * closed, the outcome of the reply is `failed` (CL10).
   */
  reply(options?: ReplyOptions): Reply {
    const work = this.#closing.work('reply')
    const own = this.#closing.optionsOf('reply', options, replyNames)
    return work instanceof EndwellError ? ActiveReply.refused(work, own) : work.answering.reply(own)
  }

  /**
   * Presses telephone keys, `0` to `9`, `*`, `#` and `A` to `D`, with the pauses `w` (0.5 s) and `W` (1 s), after what the agent
   * is saying: `press('1w2#')`. At most 32. The caller cannot interrupt them. Rejects if these are not keys (KY1).
   */
  press(keys: string): Promise<PressOutcome> {
    const work = this.#closing.work('press keys')
    if (work instanceof EndwellError) return notPressed(work)
    const pressing = work.answering.press(keys)
    // A caller may drop the promise: the error is reported here.
    pressing.catch((error: unknown) => this.#context.failed('press', error))
    return pressing
  }

  /** Stops the agent's speech and its reply in progress, synchronously (SP1). */
  interrupt(options?: { force?: boolean }): void {
    const own = this.#closing.optionsOf('interrupt', options, { force: true })
    this.#closing.stations?.answering.interruptAll(own)
  }

  /** Adds a text of the user that asks for no answer: the next answer knows it. No-op if the session is ending or closed. */
  addText(text: string): void {
    const work = this.#closing.work('add a text')
    if (!(work instanceof EndwellError)) work.answering.addText(text)
  }

  /** Sends a message, any JSON, to the caller's program. Returns whether the line reaches such a program. */
  send(message: unknown): boolean {
    const { line, isOpen } = this.#context
    if (!isOpen || !line?.sendMessage) return false
    line.sendMessage(message)
    return true
  }

  /**
   * Has the agent in charge answer a message of the caller's program, by its hook `onMessage`. Called by lines that reach such a
   * program. Rejects if the agent has no such hook, or if that fails or takes longer than 9 s.
   */
  async receive(message: CallerMessage): Promise<unknown> {
    return await this.#closing.live('take a message').answering.agents.message(message)
  }

  /** Ends the user's turn by hand. No-op if the session is ending or closed. */
  commitTurn(): void {
    const work = this.#closing.work('commit a turn')
    if (!(work instanceof EndwellError)) work.hearing.handle({ type: 'commit' })
  }

  /** Discards what the user has said in this turn. No-op if the session is ending or closed. */
  discardTurn(): void {
    const work = this.#closing.work('discard a turn')
    if (!(work instanceof EndwellError)) work.hearing.handle({ type: 'discard' })
  }

  /** Hands the caller over to another agent (AG1). */
  handOff(to: Agent): Promise<void> {
    const handing = this.#handOff(to)
    // A caller may drop the promise: the error is reported here, unless the session was closed meanwhile.
    handing.catch((error: unknown) => {
      if (!this.#closing.isClosing) this.#context.failed('handoff', error)
    })
    return handing
  }

  async #handOff(to: Agent): Promise<void> {
    await this.#closing.live('hand over').answering.agents.handOff(to)
  }

  /** Puts the caller on hold until `resume()`: music plays, and no turn begins (HD1). No-op if the session is ending or closed. */
  hold(options?: HoldOptions): Hold {
    return this.#context.holds.hold(options)
  }

  /** Approves or refuses a tool call (TL8). Returns whether a call with that id was waiting for approval. */
  approve(id: string, approved: boolean): boolean {
    return this.#closing.stations?.answering.tools.approve(id, approved) ?? false
  }

  /** Reports a failure that the application has noticed: it is logged, emitted as `error`, and in the report. */
  reportError(where: string, error: unknown): void {
    if (this.state !== 'closed') this.#context.failed(where, error)
  }

  // ── ending ──

  /** Lets the turn in flight finish, its tools and its answer included, then closes (CL3). */
  drain(options?: CloseSessionOptions): Promise<SessionReport> {
    return this.#closing.drain(askOf(options))
  }

  /** Lets the turn in flight finish, says goodbye, waits until the caller has heard all of it, and hangs up (SP8). */
  hangUp(options?: HangUpOptions): Promise<HangUpOutcome> {
    const hungUp = this.#closing.hangUp(options)
    // A caller may drop the promise, and it rejects if the session has already been ended: no unhandled rejection then.
    hungUp.catch(noop)
    return hungUp
  }

  /**
   * Has the line connect the caller to a person. If that person answers, the session ends with the reason `transferred`.
   * Otherwise the caller is back, and the session goes on (TR1). Rejects if the line cannot transfer calls.
   */
  transfer(options: TransferOptions): Promise<TransferOutcome> {
    const transferring = this.#context.transfers.transfer(options)
    transferring.catch(noop)
    return transferring
  }

  /** Finds out who answered a call out. Meanwhile no turn begins; what a person says becomes the first one (MD1). */
  answeredBy(options?: AnsweredByOptions): Promise<Answered> {
    return this.#context.pickups().answeredBy(options)
  }

  /** Waits for the beep of an answering machine, says the text to its end, and hangs up (MD6). */
  leaveMessage(text: string, options?: LeaveMessageOptions): Promise<MessageOutcome> {
    return this.#context.pickups().leaveMessage(text, options)
  }

  /** Ends the session now, within `closeTimeout`. Never rejects; every caller gets the same report. */
  close(options?: CloseSessionOptions): Promise<SessionReport> {
    this.#context.lifecycle.handle({ type: 'close', ask: askOf(options) })
    return this.#closing.closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #assertOpen(what: string, cause?: unknown): void {
    if (!this.#closing.isClosing) return
    throw new SessionClosedError(what, this.state, cause === undefined ? undefined : { cause })
  }
}

/** Unknown options stay: the close reports them (FA7). */
function askOf(options: CloseSessionOptions | undefined): CloseAsk {
  return { ...options, reason: options?.reason ?? 'requested', from: undefined }
}
