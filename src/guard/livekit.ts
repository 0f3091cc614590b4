import { duration, noop, systemClock, checkOptions, type Timer, type OptionNames } from '../scope/index.ts'
import { guard, outside, passedNames, type Guard, type GuardOptions } from './guard.ts'
import { methodsOf, replaceMethod, type Method } from './methods-of.ts'

/** The part of an `AgentSession` of `@livekit/agents` that is used here. */
export interface LiveKitSession {
  on(event: string, listener: () => void): unknown
  emit(event: never, ...data: never[]): boolean
  start(options: { room?: LiveKitRoom }): Promise<void>
  close(): Promise<void>
  shutdown(options?: { drain?: boolean }): void
  interrupt(options?: { force?: boolean }): unknown
  /** Aborts when a close begins. Internal to the framework; if it is missing, only public events are used. */
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
  /** The time limit for a `shutdown()` that drains, after which it becomes a close. Default: 60 s. */
  drain?: number
}

const optionNames: OptionNames<GuardLiveKitOptions> = {
  ...passedNames,
  drain: true,
}

/**
 * Guards an `AgentSession` of `@livekit/agents`. Create the guard before the session starts.
 *
 * The session remains the same object, for its tools and its room as well. Its methods run in the guard's context, and
 * listeners in the context in which they were added. `session.close()` closes the guard, and so does every close that the
 * framework starts on its own, for example when the participant has left or a model has failed. If the framework never
 * emits its `close` event, the guard does.
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
  checkOptions('guardLiveKit', options, optionNames)
  return new LiveKitEnd(session, options).guard
}

/** Routes every way in which a LiveKit session can end through its guard. */
class LiveKitEnd {
  readonly guard: Guard
  readonly #session: LiveKitSession
  /** The session's original methods. */
  readonly #methods: ReadonlyMap<string, Method>
  readonly #originalEmit: Method
  readonly #drainTimeout: number
  #drainTimer: Timer | undefined
  #closeEmitted = false

  constructor(session: LiveKitSession, { drain = 60_000, ...options }: GuardLiveKitOptions) {
    this.#session = session
    this.#drainTimeout = duration('drain', drain)
    this.#methods = new Map(methodsOf(session, session))
    this.#originalEmit = session.emit.bind(session) as Method
    this.guard = guard({ name: 'LiveKit session', ...options, close: () => this.#closeSession() })
    this.#replaceMethods()
    this.#listen()
  }

  #replaceMethods(): void {
    const session = this.#session
    for (const [name, method] of methodsOf(session, this.guard.wrap(session)))
      replaceMethod(session, name, method)
    replaceMethod(session, 'start', (options?: { room?: LiveKitRoom }) => this.#start(options))
    replaceMethod(session, 'close', () => this.guard.close().then(noop))
    replaceMethod(session, 'shutdown', (options?: { drain?: boolean }) => this.#shutdown(options))
    replaceMethod(session, 'emit', (...args: unknown[]) => this.#emit(...args))
  }

  #listen(): void {
    const session = this.#session
    session.on('close', () => this.#end())
    const { _closingSignal: closing } = session
    closing?.addEventListener('abort', () => {
      if (!this.#drainTimer) this.#end()
    })
    this.guard.on('closed', () => {
      this.#drainTimer?.clear()
      this.#emit('close', { type: 'close', reason: 'guard', error: null, createdAt: systemClock.date() })
    })
  }

  #start(options: { room?: LiveKitRoom } = {}): unknown {
    const { room } = options
    const disconnected = (): void => this.#end('the room was disconnected')
    room?.on('disconnected', disconnected)
    this.guard.on('closed', () => room?.off('disconnected', disconnected))
    return this.#callOriginal('start', options)
  }

  /** Without a drain this is a close. With one, the framework waits for speech to finish, without a time limit. */
  #shutdown(options: { drain?: boolean } = {}): void {
    if (options.drain === false) this.#end()
    if (this.guard.state !== 'live') return
    this.#drainTimer ??= outside(() =>
      systemClock.after(this.#drainTimeout, `drain of '${this.guard.name}'`, () =>
        this.#end('drain timed out'),
      ),
    )
    this.#callOriginal('shutdown', options)
    // After `shutdown`, the framework's `close` only waits for it.
    Promise.resolve(this.#callOriginal('close'))
      .catch(noop)
      .finally(() => this.#end())
  }

  #end(reason?: string): void {
    this.guard.close(reason === undefined ? {} : { reason }).catch(noop)
  }

  async #closeSession(): Promise<void> {
    // The framework's close would wait for its drain to finish.
    if (this.#drainTimer && !this.#closeEmitted) this.#interrupt()
    await this.#callOriginal('close')
  }

  #interrupt(): void {
    try {
      this.#callOriginal('interrupt', { force: true })
    } catch {
      // The session was never started, so there is nothing to interrupt.
    }
  }

  /** Emits `close` only once, even if a close that was given up finishes later. */
  #emit(...[event, ...data]: unknown[]): boolean {
    if (event === 'close' && this.#closeEmitted) return false
    this.#closeEmitted ||= event === 'close'
    return this.#originalEmit(event, ...data) === true
  }

  #callOriginal(name: string, ...args: unknown[]): unknown {
    return this.guard.run(() => Reflect.apply(this.#methods.get(name)!, this.#session, args))
  }
}
