import { createHmac, generateKeyPairSync, sign, type KeyPairKeyObjectResult } from 'node:crypto'
import type { Clock } from '../../scope/index.ts'
import type { Sign } from './twilio-call.ts'

/**
 * What Twilio puts into `X-Twilio-Signature`: the whole address, followed by the names and values of the form in the
 * order of the names, under the account's token. A WebSocket has no form: its address alone is signed, as `wss://…`.
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

/** Signs as Twilio does: webhooks and streams. */
export function asTwilio(authToken: string): Sign {
  return ({ url, form }, how) => {
    const token = how === 'rightly' ? authToken : `not ${authToken}`
    return { 'x-twilio-signature': twilioSignature(token, url, form) }
  }
}

/** Signs as Telnyx does: webhooks alone, by their time and their body. */
export function asTelnyx({ privateKey }: KeyPairKeyObjectResult, clock: Clock): Sign {
  return ({ body }, how): Record<string, string> => {
    if (body === undefined) return {}
    const timestamp = String(Math.floor(clock.date() / 1_000))
    const key = how === 'rightly' ? privateKey : generateKeyPairSync('ed25519').privateKey
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
    return { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
  }
}
