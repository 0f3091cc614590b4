import { createHmac, generateKeyPairSync, sign, type KeyPairKeyObjectResult } from 'node:crypto'
import type { Clock } from '../../scope/index.ts'

/** Makes the headers that authenticate a request. */
export type Sign = (
  request: { readonly url: string; readonly form?: Readonly<Record<string, string>>; readonly body?: string },
  how: 'rightly' | 'wrongly',
) => Readonly<Record<string, string>>

/**
 * Computes `X-Twilio-Signature`: an HMAC with the account's token of the full URL followed by the names and values of the
 * form, sorted by name. For a WebSocket only its URL is signed, as `wss://…`.
 *
 * ```ts
 * const headers = { 'x-twilio-signature': twilioSignature(token, 'https://example.com/answer', { CallSid: 'CA1' }) }
 * ```
 */
export function twilioSignature(
  authToken: string,
  url: string,
  form: Readonly<Record<string, string>> = {},
): string {
  const fields = Object.entries(form).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const signed = url + fields.map(([name, value]) => name + value).join('')
  return createHmac('sha1', authToken).update(signed).digest('base64')
}

/** Signs webhooks and streams as Twilio does. */
export function signAsTwilio(authToken: string): Sign {
  return ({ url, form }, how) => {
    const token = how === 'rightly' ? authToken : `not ${authToken}`
    return { 'x-twilio-signature': twilioSignature(token, url, form) }
  }
}

/** Signs webhooks as Telnyx does, by time and body. Streams are not signed. */
export function signAsTelnyx({ privateKey }: KeyPairKeyObjectResult, clock: Clock): Sign {
  return ({ body }, how): Record<string, string> => {
    if (body === undefined) return {}
    const timestamp = String(Math.floor(clock.date() / 1_000))
    const key = how === 'rightly' ? privateKey : generateKeyPairSync('ed25519').privateKey
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
    return { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
  }
}
