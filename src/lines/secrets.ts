import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { OptionError } from '../scope/index.ts'

/** Minimum length of a secret. Guesses are not limited otherwise: a limit would lock out its owner. */
const MIN_LENGTH = 16

/** Throws unless a secret is long enough. One rule for the host and all lines, which share a secret. */
export function checkSecret(secret: string): void {
  if (secret.length >= MIN_LENGTH) return
  throw new OptionError(
    `the secret must have ${MIN_LENGTH} characters or more; it has ${secret.length}: use 32 random bytes`,
  )
}

/** Creates an unguessable secret or id: 128 bits in hexadecimal, which is valid in a header and never looks like an option. */
export function newKey(): string {
  return randomBytes(16).toString('hex')
}

/** Signs a text. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Compares two texts in constant time. */
export function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
