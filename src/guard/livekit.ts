import { duration, noop, systemClock, type Timer } from '../scope/index.ts'
import { guard, outside, type Guard, type GuardOptions } from './guard.ts'
import { methodsOf, put, type Method } from './methods-of.ts'

/** The part of an `AgentSession` of `@livekit/agents` that is used here. Its events are named by an enum of its own. */
export interface LiveKitSession {
  on(event: string, listener: () => void): unknown
  emit(event: never, ...data: never[]): boolean
  start(options: { room?: LiveKitRoom }): Promise<void>
  close(): Promise<void>
  shutdown(options?: { drain?: boolean }): void
  interrupt(options?: { force?: boolean }): unknown
  /** Aborts when a close begins, whoever asked for it. Internal there: where it is missing, public events are all. */
  readonly _closingSignal?: AbortSignal
}

export interface LiveKitCloseEvent {
  readonly type: 'close'
  readonly reason: string
  readonly error: unknown
  readonly createdAt: number
}

/** The part of a `Room` of `@livekit/rtc-node` that is used here. */
export interface LiveKitRoom {
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

export interface GuardLiveKitOptions extends Omit<GuardOptions, 'close'> {
  /** How long a `shutdown()` may go on, until what is being said is over: 60 s unless set. Then it becomes a close. */
  drain?: number
}

/**
 * Guards an `AgentSession` of `@livekit/agents`: make it before the session is started.
 *
 * The session stays the object it is, also for those who have it already: its tools, its room. Its methods run in the
 * guard's context, `close()` is the guard's, and so is every end that the framework begins by itself: the participant
 * has gone, a model has failed. If it does not get as far as its `close` event, the guard emits that. Listeners that are
 * added from here on run in the context of those who add them.
 *
 * ```ts
 * import 'endwell/guard/install'
 *
 * const session = new AgentSession({ stt, llm, tts })
 * guardLiveKit(session, { name: ctx.job.id, closeTimeout: 3_000 })
 * await session.start({ agent, room: ctx.room })
 * ```
 */
export function guardLiveKit(session: LiveKitSession, options: GuardLiveKitOptions = {}): Guard {
  return new LiveKitEnd(session, options).guard
}

/** How a LiveKit session comes to its end, in each of the ways it has. */
class LiveKitEnd {
  readonly guard: Guard
  readonly #session: LiveKitSession
  /** The session's own methods, as they were. */
  readonly #methods: ReadonlyMap<string, Method>
  readonly #emitTheirs: Method
  readonly #drainWithin: number
  #draining: Timer | undefined
  #told = false

  constructor(session: LiveKitSession, { drain = 60_000, ...options }: GuardLiveKitOptions) {
    this.#session = session
    this.#drainWithin = duration('drain', drain)
    this.#methods = new Map(methodsOf(session, session))
    this.#emitTheirs = session.emit.bind(session) as Method
    this.guard = guard({ name: 'LiveKit session', ...options, close: () => this.#closeTheirs() })
    this.#takeOver()
    this.#listen()
  }

  #takeOver(): void {
    const session = this.#session
    for (const [name, method] of methodsOf(session, this.guard.wrap(session))) put(session, name, method)
    put(session, 'start', (options?: { room?: LiveKitRoom }) => this.#start(options))
    put(session, 'close', () => this.guard.close().then(noop))
    put(session, 'shutdown', (options?: { drain?: boolean }) => this.#shutdown(options))
    put(session, 'emit', (...args: unknown[]) => this.#emit(...args))
  }

  #listen(): void {
    const session = this.#session
    session.on('close', () => this.#end())
    const { _closingSignal: closing } = session
    closing?.addEventListener('abort', () => {
      if (!this.#draining) this.#end()
    })
    this.guard.on('closed', () => {
      this.#draining?.clear()
      this.#emit('close', { type: 'close', reason: 'guard', error: null, createdAt: systemClock.date() })
    })
  }

  #start(options: { room?: LiveKitRoom } = {}): unknown {
    const { room } = options
    const gone = (): void => this.#end('the room was disconnected')
    room?.on('disconnected', gone)
    this.guard.on('closed', () => room?.off('disconnected', gone))
    return this.#theirs('start', options)
  }

  /** Without a drain it is a close. With one, the framework lets everybody finish, however long that takes. */
  #shutdown(options: { drain?: boolean } = {}): void {
    if (options.drain === false) this.#end()
    if (this.guard.state !== 'live') return
    this.#draining ??= outside(() =>
      systemClock.after(this.#drainWithin, `drain of '${this.guard.name}'`, () =>
        this.#end('drain timed out'),
      ),
    )
    this.#theirs('shutdown', options)
    // What has begun is awaited by `close`, and not begun again.
    Promise.resolve(this.#theirs('close'))
      .catch(noop)
      .finally(() => this.#end())
  }

  #end(reason?: string): void {
    this.guard.close(reason === undefined ? {} : { reason }).catch(noop)
  }

  async #closeTheirs(): Promise<void> {
    // Their close waits for their drain, and would let it go on.
    if (this.#draining && !this.#told) this.#interrupt()
    await this.#theirs('close')
  }

  #interrupt(): void {
    try {
      this.#theirs('interrupt', { force: true })
    } catch {
      // It was never started: there is nothing to interrupt.
    }
  }

  /** One `close` event: a close that was given up may still come to its end. */
  #emit(...[event, ...data]: unknown[]): boolean {
    if (event === 'close' && this.#told) return false
    this.#told ||= event === 'close'
    return this.#emitTheirs(event, ...data) === true
  }

  #theirs(name: string, ...args: unknown[]): unknown {
    return this.guard.run(() => Reflect.apply(this.#methods.get(name)!, this.#session, args))
  }
}
