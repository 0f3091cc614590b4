import type { Clock } from '../../scope/index.ts'
import { checkToken, makeToken } from '../call-token.ts'
import { newKey } from '../secrets.ts'

export interface OneTimeTokensOptions {
  /** Signs the tokens. The processes that take each other's tokens share it. */
  readonly key: string
  readonly clock: Clock
  /** Milliseconds for which a token is good. */
  readonly lifetime: number
  /** Characters per token. */
  readonly maxLength: number
}

/** What is wrong with a token. */
export type TokenProblem = 'TOKEN_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_USED'

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

  /** Makes a token for a new call. It has the data in it, which may be too large. */
  give(data: unknown): { readonly id: string; readonly token: string } | { readonly refused: 'TOO_LARGE' } {
    const { key, clock, lifetime, maxLength } = this.#options
    const id = newKey()
    const token = makeToken(key, clock.date(), { expiresIn: lifetime, data: { id, data } }, 'rtvi')
    return token.length > maxLength ? { refused: 'TOO_LARGE' } : { id, token }
  }

  /** Takes a token, which is used up then. */
  take(token: string): Admitted | { readonly refused: TokenProblem } {
    const { clock, lifetime } = this.#options
    const admitted = this.check(token)
    if ('refused' in admitted) return admitted
    const now = clock.date()
    for (const [id, expires] of this.#used) if (expires <= now) this.#used.delete(id)
    this.#used.set(admitted.id, now + lifetime)
    return admitted
  }

  /** Checks a token without using it up. */
  check(token: string): Admitted | { readonly refused: TokenProblem } {
    const { key, clock, maxLength } = this.#options
    if (token.length > maxLength) return { refused: 'TOKEN_INVALID' }
    const { code, data } = checkToken(key, clock.date(), token, 'rtvi')
    if (code !== undefined) return { refused: code }
    // We signed it, so we wrote it.
    const admitted = data as Admitted
    return this.#used.has(admitted.id) ? { refused: 'TOKEN_USED' } : admitted
  }
}
