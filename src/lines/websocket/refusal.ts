import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../scope/index.ts'
import { refuse } from '../refuse.ts'
import { subprotocol } from './protocol.ts'

/** Why a call was refused, with its HTTP status. */
const refusals = {
  NOT_A_CALL: [
    400,
    `this address accepts WebSockets that offer the subprotocol ${subprotocol}: use endwell/client`,
  ],
  TOKEN_MISSING: [401, 'a token is required: make one on your server with calls.token()'],
  TOKEN_INVALID: [401, "the token was not signed with this server's secret"],
  TOKEN_EXPIRED: [401, 'the token has expired: fetch one right before the call'],
  ORIGIN_REFUSED: [403, 'pages from this origin may not call: add it to the option origins'],
  CALL_GONE: [404, 'the call to rejoin has ended'],
  CALL_REPLACED: [409, 'another page has rejoined this call since'],
  TOO_FAST: [429, 'too many calls per second: try again in a moment'],
  BUSY: [503, 'all lines are busy: try again later'],
  CLOSING: [503, 'the server no longer takes calls'],
} as const satisfies Partial<Record<ErrorCode, readonly [status: number, message: string]>>

/** Stable codes, for programs. */
export type RefusalCode = keyof typeof refusals

export function statusOf(code: RefusalCode): number {
  return refusals[code][0]
}

/** Refuses an upgrade over HTTP. */
export function refuseCall(tcp: Duplex, code: RefusalCode): void {
  const [status, message] = refusals[code]
  refuse(tcp, status, code, message)
}
