import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that nobody can guess: 128 bits, in letters that a header may hold. */
export function newKey(): string {
  return randomBytes(16).toString('base64url')
}

/** What only somebody who has the secret can write below the text. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
