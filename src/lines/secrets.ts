import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates an unguessable secret: 128 bits, in characters that are valid in a header. */
export function newKey(): string {
  return randomBytes(16).toString('base64url')
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
