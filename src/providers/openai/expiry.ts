import type { LinkConnection } from '../../link/index.ts'
import type { Scope, Timer } from '../../scope/index.ts'

/** A quiet moment is looked for from so long before the end on, in milliseconds. */
const WINDOW = 120_000
/** And from so long before it on, nobody waits for one: setting up a connection may need a second try. */
const LAST_CALL = 15_000
/** Less than this is no session limit but a clock that goes wrong. Such an end is carried over when it comes. */
const SHORTEST = 30_000

/**
 * The end of a session that the service has announced: `session.expires_at`. Before it the link moves to a new
 * connection, when nobody speaks if there is such a moment (LK8).
 *
 *   session.created ──────────────────▶│ window: as soon as it is quiet │ last call: now │ expires_at
 */
export class Expiry {
  readonly #scope: Scope<string>
  readonly #quiet: () => boolean
  #timer: Timer | undefined
  /** The connection that has to be left as soon as it is quiet. */
  #due: LinkConnection | undefined

  constructor(scope: Scope<string>, quiet: () => boolean) {
    this.#scope = scope
    this.#quiet = quiet
  }

  /** A new connection will end at that time, in seconds since 1970. */
  plan(connection: LinkConnection, expiresAt: number | undefined): void {
    this.clear()
    const { clock } = this.#scope
    const left = (expiresAt ?? 0) * 1000 - clock.date()
    if (left < SHORTEST) return
    connection.rollOver(left - Math.min(LAST_CALL, left / 8))
    this.#timer = this.#scope.after(left - Math.min(WINDOW, left / 4), 'end of a session', () => {
      this.#due = connection
      this.look()
    })
  }

  /** Something has happened: it may be quiet now. */
  look(): void {
    if (!this.#due || !this.#quiet()) return
    this.#due.rollOver()
    this.#due = undefined
  }

  clear(): void {
    this.#timer?.clear()
    this.#timer = undefined
    this.#due = undefined
  }
}
