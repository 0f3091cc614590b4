import { durationOf, type AudioFrame } from '../audio/index.ts'
import type { LineEvents, Usage } from '../parts/index.ts'
import { noop, type Change, type Inspection, type TaskContext } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import { Caps, idleWarning, type Cap } from './caps.ts'
import { Closing, type CloseAsk } from './closing.ts'
import { Conversation } from './conversation.ts'
import { Emitter, type EventOf } from './emitter.ts'
import { SessionClosedError, SessionEndingError, StartTimeoutError, ToolError } from './errors.ts'
import type { SessionEvents, SessionState } from './events.ts'
import { GracefulEnd, type HangUpOptions, type HangUpOutcome } from './graceful-end.ts'
import { History } from './history.ts'
import { openParts } from './open-parts.ts'
import { Owner } from './owner.ts'
import { Recorder } from './recorder.ts'
import type { Reply } from './reply.ts'
import type { CloseReason, SessionReport } from './report.ts'
import { SessionBook } from './session-book.ts'
import { settle, type SessionOptions, type SessionSettings } from './settings.ts'
import type { Speech, SpeechOptions } from './speech.ts'

export interface CloseSessionOptions {
  /** `requested` unless set. */
  reason?: CloseReason
  by?: string
  /** Milliseconds until the report: `closeTimeout` unless set. A later ask can only shorten it. */
  closeTimeout?: number
}

/**
 * One conversation with one caller. It always ends: once, on time, leaving nothing behind, with a report.
 *
 * ```ts
 * const session = new Session({ agent, models, line })
 * session.on('closed', (report) => save(report))
 * await session.start()
 * ```
 */
export class Session {
  readonly history: History
  readonly #settings: SessionSettings
  readonly #events: Emitter<SessionEvents>
  readonly #book: SessionBook
  readonly #closing: Closing
  readonly #graceful: GracefulEnd
  #owner: Owner | undefined
  #state: SessionState = 'new'
  #conversation: Conversation | undefined
  #starting: Promise<void> | undefined
  #caps: Caps | undefined
  #recorder: Recorder | undefined

  constructor(options: SessionOptions) {
    const settings = settle(options)
    const { history } = settings
    this.#settings = settings
    this.history = history ? History.from(history) : new History()
    this.#book = new SessionBook(settings.id, this.history)
    this.#events = new Emitter((event, error) => this.#failed(`listener of '${event}'`, error))
    this.#closing = new Closing(this.#closingHost())
    this.#graceful = new GracefulEnd({
      settings,
      closing: this.#closing,
      scope: () => this.#scope,
      live: (what) => this.#live(what),
      state: () => this.#state,
      setState: (state) => this.#setState(state),
    })
  }

  /** Owns everything. Made when it is first needed: a session that is never started owns nothing. */
  get #owns(): Owner {
    return (this.#owner ??= new Owner(
      this.#settings,
      (where, error) => this.#failed(where, error),
      (connection) => this.#book.connection(connection),
    ))
  }

  get #scope(): Owner['scope'] {
    return this.#owns.scope
  }

  get id(): string {
    return this.#settings.id
  }

  get state(): SessionState {
    return this.#state
  }

  /** Settles when the work after the call is done, too. */
  get afterCall(): Promise<void> {
    return this.#closing.afterCall
  }

  /** A window on everything that the session owns, now and, with a listener, as it changes (SC15). */
  inspect(listener?: (change: Change) => void): Inspection {
    return this.#scope.inspect(listener)
  }

  // ── listening ──

  /** Returns the way to stop listening. A listener that throws disturbs nobody. */
  on<Name extends keyof SessionEvents & string>(
    name: Name,
    listener: (data: SessionEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener)
  }

  /** All events until the session is closed. Leaving the loop leaves the session alone. */
  events(): AsyncIterableIterator<EventOf<SessionEvents>> {
    return this.#events.iterate()
  }

  /** All events, and the session with them: whoever leaves the loop closes it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EventOf<SessionEvents>, void, undefined> {
    try {
      yield* this.events()
    } finally {
      await this.close({ by: 'the end of a loop' })
    }
  }

  // ── starting ──

  /** Opens the line and the models. Rejects if that fails, or if the session is closed meanwhile (CL8). */
  start(): Promise<void> {
    if (!this.#starting || this.#isClosing) this.#starting = this.#start()
    // Whoever closes a session that is starting need not hold this promise.
    this.#starting.catch(noop)
    return this.#starting
  }

  async #start(): Promise<void> {
    if (this.#isClosing) throw new SessionClosedError('start', this.#state)
    this.#book.started(this.#settings.clock)
    const { startTimeout } = this.#settings
    const opening = this.#scope.spawn('start', (context) => this.#open(context))
    let late: StartTimeoutError | undefined
    const timer = this.#scope.after(startTimeout, 'limit of the start', () => {
      late = new StartTimeoutError(startTimeout)
      opening.cancel(late.message)
    })
    try {
      await opening.result
      timer.clear()
    } catch (thrown) {
      timer.clear()
      const error = late ?? thrown
      if (this.#isClosing) throw new SessionClosedError('start', this.#state, { cause: error })
      this.#broken('start', error)
      throw error
    }
    // By a listener of its first events, for instance.
    if (this.#isClosing) throw new SessionClosedError('start', this.#state)
  }

  async #open(context: TaskContext): Promise<void> {
    const { agent, recording, line, clock } = this.#settings
    if (recording) {
      const onError = (error: unknown): void => this.#failed('recording', error)
      const recorder = new Recorder({ sink: recording, clock, sampleRate: line.sampleRate, onError })
      this.#recorder = this.#owns.stores.own('recorder', recorder, { phase: 'stores' })
    }
    const parts = await context.until(
      openParts({
        settings: this.#settings,
        context: this.#owns.links(),
        history: this.history,
        line: this.#lineEvents(),
        conversation: () => this.#conversation,
        broken: (where, error) => this.#broken(where, error),
        failed: (where, error) => this.#failed(where, error),
        cleared: () => this.#recorder?.clear(),
      }),
    )
    const conversation = new Conversation(this.#conversationHost(), parts)
    this.#conversation = conversation
    await context.until(conversation.agents.start(agent))
    this.#caps = new Caps(this.#scope, this.#settings, {
      warn: (reason, left) => this.#events.emit('warning', { reason, left }),
      end: (reason) => this.#endBy(reason),
    })
    conversation.live()
    this.#setState('live')
    if (!this.#isClosing) this.#events.emit('started', { id: this.id })
    if (!this.#isClosing) conversation.agents.greet()
  }

  #lineEvents(): LineEvents {
    return {
      // What is said after the end is heard by nobody.
      frame: (frame) => {
        this.#recorder?.caller(frame)
        if (!this.#isClosing) this.#conversation?.hear(frame)
      },
      marked: (id, heard) => this.#conversation?.speaker.marked(id, heard),
      dtmf: (digit) => {
        this.#caps?.userActive()
        this.#conversation?.pressed(digit)
      },
      text: (text) => {
        this.#caps?.userActive()
        this.#conversation?.typed(text)
      },
      hungUp: () => this.#close({ reason: 'caller-hung-up', by: 'line' }),
      lost: (error) => {
        if (error !== undefined) this.#failed('line', error)
        this.#close({ reason: 'caller-lost', by: 'line' })
      },
    }
  }

  /** Something is gone for good that there is no conversation without. */
  #broken(where: string, error: unknown): void {
    this.#settings.logger.error({ session: this.id, where, error }, 'the session cannot go on')
    this.#events.emit('error', { where, error })
    this.#book.error(error)
    this.#close({ reason: this.#state === 'new' ? 'start-failed' : 'error', by: where })
  }

  // ── talking ──

  /** Says something. */
  say(text: string | AsyncIterable<string>, options?: SpeechOptions): Speech {
    return this.#live('say').say(text, options)
  }

  /** Lets the agent answer the conversation as it stands, with extra instructions if given. */
  reply(options?: { instructions?: string } & SpeechOptions): Reply {
    return this.#live('reply').reply(options)
  }

  /** Stops what the agent says and thinks, now (SP1). */
  interrupt(options?: { force?: boolean }): void {
    this.#conversation?.interrupt(options)
  }

  /** Ends the user's turn by hand. */
  commitTurn(): void {
    this.#live('commit a turn').commitTurn()
  }

  /** Throws away what the user has said in this turn. */
  discardTurn(): void {
    this.#live('discard a turn').discardTurn()
  }

  /** Hands the caller over to another agent (AG1). */
  handOff(to: Agent): Promise<void> {
    const handing = this.#handOff(to)
    // Whoever closes the session meanwhile need not hold this promise; what else goes wrong is told.
    handing.catch((error: unknown) => {
      if (!this.#isClosing) this.#failed('handoff', error)
    })
    return handing
  }

  async #handOff(to: Agent): Promise<void> {
    await this.#live('hand over').handOff(to)
  }

  /** Settles a tool call that waits for it (TL8). Returns whether there was one. */
  approve(id: string, approved: boolean): boolean {
    return this.#conversation?.tools.approve(id, approved) ?? false
  }

  // ── ending ──

  /** Lets the turn in flight finish, its tools and its answer included, then closes (CL3). */
  drain(options: CloseSessionOptions = {}): Promise<SessionReport> {
    return this.#graceful.drain(askOf(options))
  }

  /** Lets the turn in flight finish, says goodbye to the end, waits until it was heard, and hangs up (SP8). */
  hangUp(options?: HangUpOptions): Promise<HangUpOutcome> {
    return this.#graceful.hangUp(options)
  }

  /** Ends the session, now and in bounded time. Never rejects; everybody who asks gets the same report. */
  close(options: CloseSessionOptions = {}): Promise<SessionReport> {
    return this.#closing.close(askOf(options))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** For those who do not wait for the report. */
  #close(ask: CloseAsk): void {
    this.#closing.close(ask).catch(noop)
  }

  get #isClosing(): boolean {
    return this.#state === 'closing' || this.#state === 'closed'
  }

  /** A cap was reached: goodbye, and close (CL14). */
  #endBy(reason: Cap): void {
    const say = this.#settings.goodbye[reason]
    // Refused if it ends already, and that is fine.
    this.hangUp({ reason, by: 'cap', ...(say === undefined ? {} : { say }) }).catch(noop)
  }

  #closingHost() {
    return {
      settings: this.#settings,
      book: this.#book,
      scope: () => this.#scope,
      conversation: () => this.#conversation,
      ending: () => this.#graceful.current,
      shut: () => {
        this.#state = 'closing'
      },
      tell: () => this.#events.emit('state', { state: 'closing' }),
      over: (report: SessionReport) => {
        this.#caps = undefined
        this.#conversation = undefined
        this.#recorder = undefined
        this.#graceful.forget()
        this.#setState('closed')
        this.#events.emit('closed', report)
        this.#events.end()
      },
      failed: (where: string, error: unknown) => this.#failed(where, error),
    }
  }

  // ── what the conversation needs ──

  #conversationHost() {
    const { playoutTimeout, stallTimeout, maxToolSteps, turns, idleTimeout, hookTimeout } = this.#settings
    const idle = idleTimeout === undefined ? {} : { idle: idleWarning(idleTimeout) }
    const failed = (where: string, error: unknown): void => this.#failed(where, error)
    return {
      scope: this.#scope,
      history: this.history,
      playoutTimeout,
      stallTimeout,
      maxToolSteps,
      turns: { ...turns, ...idle },
      failed,
      agents: {
        hookTimeout,
        failed,
        hooks: this.#owns.stores,
        toolContext: (name: string) => this.#owns.toolset(name),
        hookContext: (task: TaskContext) => ({
          session: this,
          get signal() {
            return task.signal
          },
          close: (options: CloseSessionOptions = {}) =>
            this.#closing.close({ ...askOf(options), from: task }),
        }),
      },
      tools: {
        hangUp: (options: HangUpOptions | undefined, from: TaskContext) =>
          this.#graceful.hangUp(options, from),
        close: (options: CloseSessionOptions & { from?: TaskContext }) =>
          this.#closing.close({ ...askOf(options), from: options.from }),
        late: this.#settings.onLate,
      },
      emit: <Name extends keyof SessionEvents & string>(name: Name, data: SessionEvents[Name]) =>
        this.#events.emit(name, data),
      used: (usage: Usage) => {
        this.#book.used(usage)
        this.#caps?.used(this.#book.usage)
      },
      toolFailed: (tool: string, error: unknown) => {
        const { logger } = this.#settings
        if (isCancelled(error)) logger.info({ session: this.id, tool }, 'a tool was cancelled')
        else logger.warn({ session: this.id, tool, error }, 'a tool failed')
      },
      calledTool: () => {
        this.#book.calledTool()
        this.#caps?.used(this.#book.usage)
      },
      progress: () => this.#graceful.current?.progress(),
      userIdle: () => this.#caps?.userIdle(),
      userActive: () => this.#caps?.userActive(),
      played: (frame: AudioFrame, at: number) => {
        this.#recorder?.agent(frame, at)
        this.#caps?.sounded(durationOf(frame))
      },
      wentOn: (ms: number) => this.#recorder?.wentOn(ms),
    }
  }

  #live(what: string): Conversation {
    if (this.#state === 'ending') throw new SessionEndingError(what)
    if (this.#state !== 'live')
      throw new SessionClosedError(what, this.#state === 'new' ? 'not started' : this.#state)
    return this.#conversation!
  }

  #setState(state: SessionState): void {
    this.#state = state
    this.#events.emit('state', { state })
  }

  #failed(where: string, error: unknown): void {
    this.#settings.logger.warn({ session: this.id, where, error }, 'something failed')
    // A listener of errors that throws must not be told of its own error; and after `closed` comes nothing.
    if (where !== "listener of 'error'" && this.#state !== 'closed')
      this.#events.emit('error', { where, error })
  }
}

const askOf = ({ reason = 'requested', by, closeTimeout }: CloseSessionOptions): CloseAsk => ({
  reason,
  by,
  closeTimeout,
})

/** By a close, an interruption or the model: nothing is wrong with the tool then. */
function isCancelled(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'TOOL_CANCELLED'
}
