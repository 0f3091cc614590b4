import { systemClock, type Timer } from '../scope/index.ts'
import { GuardConnectError } from './errors.ts'
import { outside } from './guard.ts'

/** The callbacks that a session of `@google/genai` is given. */
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
  /** What the guard is called. */
  readonly name: string
  /** How long it may take until the session is there, its setup included. */
  readonly patience: number
  /** Called once, when the connection is over or was never there, after the app's own callback. */
  readonly ended: (why: string) => void
}

/**
 * One connection, from the dial to its end. `connect()` of the SDK waits for ever if the connection is refused, breaks
 * before the setup is complete, or is never answered. This one does not: it is told of the end, and has a limit.
 */
export class GeminiConnection<Session extends GeminiSession> {
  readonly #options: GeminiConnectionOptions
  readonly #timer: Timer
  readonly #settled: Promise<Session>
  #resolve!: (session: Session) => void
  #reject!: (error: unknown) => void
  #session: Session | undefined
  #over = false
  #goingAway = false
  #error: unknown

  constructor(options: GeminiConnectionOptions) {
    this.#options = options
    const { name, patience } = options
    this.#settled = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#timer = outside(() =>
      systemClock.after(patience, `connect of '${name}'`, () =>
        this.#end(`no session within ${patience} ms`),
      ),
    )
  }

  /** Dials, and gives the session when it is there. */
  open(dial: () => Promise<Session>): Promise<Session> {
    dial().then(
      (session) => this.#opened(session),
      (error: unknown) => {
        this.#error = error
        this.#end('the SDK refused to connect')
      },
    )
    return this.#settled
  }

  /** Asks it to go. One that has no session yet cannot be asked. */
  close(): void {
    this.#session?.close()
  }

  /** Nobody waits for it any more: the guard is closing. */
  giveUp(error: unknown): void {
    this.#timer.clear()
    this.#reject(error)
  }

  /** What the SDK is given in place of the app's callbacks. */
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
          const words = [this.#goingAway ? 'went away' : 'connection closed', event.code, event.reason]
          this.#end(words.filter(Boolean).join(' '))
        }
      },
    }
  }

  #opened(session: Session): void {
    this.#timer.clear()
    // It comes too late: nobody has it, so nobody would close it.
    if (this.#over) return session.close()
    this.#session = session
    this.#resolve(session)
  }

  #end(why: string): void {
    if (this.#over) return
    this.#over = true
    this.#timer.clear()
    this.#reject(new GuardConnectError(this.#options.name, why, this.#error))
    this.#options.ended(why)
  }
}
