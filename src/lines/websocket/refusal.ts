import type { Duplex } from 'node:stream'
import { refuse } from '../refuse.ts'

/** Why a call was not taken, with the status that it has in HTTP. */
const refusals = {
  NOT_A_CALL: [400, 'this address takes WebSockets that offer the subprotocol endwell.1: use endwell/client'],
  TOKEN_MISSING: [401, 'a token is needed: have your server make one with calls.token()'],
  TOKEN_INVALID: [401, 'the token was not made with the secret of this server'],
  TOKEN_EXPIRED: [401, 'the token has expired: fetch one right before you call'],
  ORIGIN_REFUSED: [403, 'pages from there may not call: add their origin to the option origins'],
  CALL_GONE: [404, 'the call to come back to is over'],
  CALL_REPLACED: [409, 'another page has come back to this call since'],
  TOO_FAST: [429, 'too many calls at once: try again in a moment'],
  BUSY: [503, 'all lines are busy: try again later'],
  CLOSING: [503, 'the server takes no calls any more'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** Stable words for programs. */
export type RefusalCode = keyof typeof refusals

export function statusOf(code: RefusalCode): number {
  return refusals[code][0]
}

/** Answers an upgrade with a refusal in plain HTTP. */
export function refuseCall(tcp: Duplex, code: RefusalCode): void {
  const [status, message] = refusals[code]
  refuse(tcp, status, code, message)
}
