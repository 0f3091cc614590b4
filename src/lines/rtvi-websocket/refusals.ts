import type { ErrorCode } from '../../scope/index.ts'

/** Why a client was not connected, with its HTTP status. Browsers do not show it to the page: the log of the server has it. */
export const refusals = {
  NOT_A_CALL: [404, 'there are no calls at this address'],
  TOKEN_MISSING: [401, 'a token is required: start the call first'],
  TOKEN_INVALID: [401, 'this server has not given out the token'],
  TOKEN_EXPIRED: [401, 'the token has expired: start the call again'],
  TOKEN_USED: [401, 'the token was used before: start another call'],
  ORIGIN_REFUSED: [403, 'pages from this origin may not call: add it to the option origins'],
  TOO_FAST: [429, 'too many calls per second: try again in a moment'],
  BUSY: [503, 'all lines are busy: try again later'],
  CLOSING: [503, 'the server no longer takes calls'],
} as const satisfies Partial<Record<ErrorCode, readonly [status: number, message: string]>>

/** Stable codes, for programs. */
export type RtviRefusal = keyof typeof refusals
