import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { OptionError } from '../scope/index.ts'
import { limits } from './limits.ts'

/** Characters of a secret, at the least: who may guess ten times a minute must not get far. */
const SHORTEST = 8

/**
 * The secret of a host. It is compared in constant time and shown to nobody. A login makes a pass for a cookie: until
 * when it holds, signed with the secret. So nothing has to be remembered, and a new secret ends all logins.
 */
export class Key {
  readonly #secret: string

  constructor(secret: string) {
    if (secret.length < SHORTEST)
      throw new OptionError(`a secret must have ${SHORTEST} characters or more; it has ${secret.length}`)
    this.#secret = secret
  }

  /** Cookies are shared by all ports of a machine: a name of its own keeps two hosts apart. */
  get cookieName(): string {
    return `endwell-${this.#sign('cookie').slice(0, 8)}`
  }

  fits(secret: string): boolean {
    return timingSafeEqual(digest(secret), digest(this.#secret))
  }

  /** A pass from `now` on, in milliseconds since 1970. */
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

/** Of one length, whatever the text is. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
