import type { Clock } from '../../scope/index.ts'
import { checkToken, makeToken } from '../call-token.ts'
import { newKey } from '../secrets.ts'

export interface OneTimeTokensOptions {
  /** Signs the tokens. The processes that take each other's tokens share it. */
  readonly key: string
  readonly clock: Clock
  /** Milliseconds for which a token is good. */
  readonly lifetime: number
}

/** What a token admits: one call, which it names. */
export interface Admitted {
  readonly id: string
  /** What the client sent along. Any JSON. */
  readonly data: unknown
}

/** Tokens that admit one call each. They can be checked by every process with the same key, and used once per process. */
export class OneTimeTokens {
  readonly #options: OneTimeTokensOptions
  /** Calls whose token was used, and when that token expires. */
  readonly #used = new Map<string, number>()

  constructor(options: OneTimeTokensOptions) {
    this.#options = options
  }

  /** Makes a token for a new call. */
  give(data: unknown): { readonly id: string; readonly token: string } {
    const { key, clock, lifetime } = this.#options
    const id = newKey()
    return { id, token: makeToken(key, clock.date(), { expiresIn: lifetime, data: { id, data } }, 'rtvi') }
  }

  /** Takes a token, which is used up then. */
  take(token: string): Admitted | { readonly refused: 'TOKEN_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_USED' } {
    const { key, clock, lifetime } = this.#options
    const now = clock.date()
    const { code, data } = checkToken(key, now, token, 'rtvi')
    if (code !== undefined) return { refused: code }
    // We signed it, so we wrote it.
    const admitted = data as Admitted
    for (const [id, expires] of this.#used) if (expires <= now) this.#used.delete(id)
    if (this.#used.has(admitted.id)) return { refused: 'TOKEN_USED' }
    this.#used.set(admitted.id, now + lifetime)
    return admitted
  }
}
