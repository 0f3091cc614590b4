import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { checkSecret } from '../lines/index.ts'
import { limits } from './limits.ts'

/**
 * The secret of a host. It is compared in constant time and never exposed. A login creates a pass for a cookie: an expiry
 * time, signed with the secret. So the host stores nothing, and a new secret ends all logins.
 */
export class Key {
  readonly #secret: string

  constructor(secret: string) {
    checkSecret(secret)
    this.#secret = secret
  }

  /** Unique per secret, because all ports of a machine share their cookies. */
  get cookieName(): string {
    return `endwell-${this.#sign('cookie').slice(0, 8)}`
  }

  fits(secret: string): boolean {
    return timingSafeEqual(digest(secret), digest(this.#secret))
  }

  /** Creates a pass. `now` is in milliseconds since 1970. */
  pass(now: number): string {
    const until = String(now + limits.login)
    return `${until}.${this.#sign(until)}`
  }

  admits(pass: string, now: number): boolean {
    const [until = '', signature = ''] = pass.split('.')
    const signed = timingSafeEqual(digest(signature), digest(this.#sign(until)))
    return signed && Number(until) > now
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(`endwell ${text}`).digest('hex')
  }
}

/** Makes texts of any length comparable in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The hash of a key, to recognise it without storing it. */
export const hashOf = (key: string): string => digest(key).toString('hex')
