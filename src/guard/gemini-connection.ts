import { systemClock, type Timer } from '../scope/index.ts'
import { GuardConnectError } from './errors.ts'
import { outside } from './guard.ts'

/** The callbacks of a live session of `@google/genai`. */
export interface GeminiCallbacks {
  onopen?: (() => void) | null
  onmessage: (message: never) => void
  onerror?: ((event: never) => void) | null
  onclose?: ((event: never) => void) | null
}

export interface GeminiSession {
  close(): void
}

export interface GeminiConnectionOptions {
  /** The name of the guard. */
  readonly name: string
  /** The time limit for connecting, setup included. */
  readonly timeout: number
  /** Called once, when the connection has ended or could not be made, after the app's own callback. */
  readonly ended: (why: string) => void
}

/**
 * One connection, from the dial to its end. The SDK's `connect()` never settles if the connection is refused, breaks
 * before the setup is complete, or is never answered. This class watches for the end and has a time limit.
 */
export class GeminiConnection<Session extends GeminiSession> {
  readonly #options: GeminiConnectionOptions
  readonly #timer: Timer
  readonly #connected: Promise<Session>
  #resolve!: (session: Session) => void
  #reject!: (error: unknown) => void
  #session: Session | undefined
  #ended = false
  #goingAway = false
  #error: unknown

  constructor(options: GeminiConnectionOptions) {
    this.#options = options
    const { name, timeout } = options
    this.#connected = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#timer = outside(() =>
      systemClock.after(timeout, `connect of '${name}'`, () => this.#end(`no session within ${timeout} ms`)),
    )
  }

  /** Dials. Resolves with the session. */
  open(dial: () => Promise<Session>): Promise<Session> {
    dial().then(
      (session) => this.#opened(session),
      (error: unknown) => {
        this.#error = error
        this.#end('the SDK refused to connect')
      },
    )
    return this.#connected
  }

  /** Closes the session, if there is one yet. */
  close(): void {
    this.#session?.close()
  }

  /** Rejects `open()`, because the guard is closing. */
  giveUp(error: unknown): void {
    this.#timer.clear()
    this.#reject(error)
  }

  /** Wraps the app's callbacks for the SDK. */
  callbacks(given: GeminiCallbacks): GeminiCallbacks {
    return {
      onopen: () => given.onopen?.(),
      onmessage: (message: { goAway?: unknown }) => {
        if (message.goAway) this.#goingAway = true
        given.onmessage(message as never)
      },
      onerror: (event: { error?: unknown }) => {
        this.#error = event.error
        given.onerror?.(event as never)
      },
      onclose: (event: { code?: number; reason?: string }) => {
        try {
          given.onclose?.(event as never)
        } finally {
          const why = [this.#goingAway ? 'went away' : 'connection closed', event.code, event.reason]
          this.#end(why.filter(Boolean).join(' '))
        }
      },
    }
  }

  #opened(session: Session): void {
    this.#timer.clear()
    // Too late: the app never gets this session, so nothing else would close it.
    if (this.#ended) return session.close()
    this.#session = session
    this.#resolve(session)
  }

  #end(why: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#timer.clear()
    this.#reject(new GuardConnectError(this.#options.name, why, this.#error))
    this.#options.ended(why)
  }
}
