import type { LinkConnection } from '../../link/index.ts'
import type { Scope, Timer } from '../../scope/index.ts'

/** From this long before the end on, the link moves as soon as the conversation is quiet. */
const QUIET_WINDOW = 120_000
/** From this long before the end on, the link moves at once: setting up a connection may need a second attempt. */
const LAST_CALL = 15_000
/** A shorter or longer lifetime must be a mistake and is ignored. The link then reconnects when the session expires. */
const MIN_LIFETIME = 30_000
const MAX_LIFETIME = 24 * 60 * 60 * 1_000

/**
 * Moves the link to a new connection before the session's announced end (`session.expires_at`), in a quiet moment if
 * there is one (LK8).
 *
 *   session.created ────────────▶│ quiet window: when it is quiet │ last call: at once │ expires_at
 */
export class Expiry {
  readonly #scope: Scope<string>
  readonly #quiet: () => boolean
  #timer: Timer | undefined
  /** The connection to leave as soon as the conversation is quiet. */
  #due: LinkConnection | undefined

  constructor(scope: Scope<string>, quiet: () => boolean) {
    this.#scope = scope
    this.#quiet = quiet
  }

  /** Plans the move away from a new connection. `expiresAt` is in seconds since 1970. Default: after `lifetime`. */
  plan(connection: LinkConnection, expiresAt: number | undefined, lifetime = 0): void {
    this.clear()
    const { clock } = this.#scope
    const left = expiresAt === undefined ? lifetime : expiresAt * 1000 - clock.date()
    if (left < MIN_LIFETIME || left > MAX_LIFETIME) return
    connection.rollOver(left - Math.min(LAST_CALL, left / 8))
    this.#timer = this.#scope.after(left - Math.min(QUIET_WINDOW, left / 4), 'end of a session', () => {
      this.#due = connection
      this.moveIfQuiet()
    })
  }

  /** To be called after every event, since each may have left the conversation quiet. */
  moveIfQuiet(): void {
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
