import type { ErrorCode } from '../../scope/index.ts'

/**
 * Why an offer or a candidate was refused, with its HTTP status. A client that gets a status from 500 on tries again for 12 s, so
 * only what may work then has one.
 */
export const refusals = {
  BAD_REQUEST: [400, 'the body must be JSON, with an offer or with candidates'],
  OFFER_INVALID: [400, 'the offer cannot be answered: it must have sound in Opus, and a data channel'],
  UNAUTHORISED: [401, 'a token or the secret is missing: start the call first'],
  WRONG_SECRET: [401, 'wrong secret'],
  TOKEN_INVALID: [401, 'this server has not given out the token'],
  TOKEN_EXPIRED: [401, 'the token has expired: start the call again'],
  TOKEN_USED: [401, 'the token was used before: start another call'],
  ORIGIN_REFUSED: [403, 'pages from this origin may not call: add it to the option origins'],
  CALL_GONE: [404, 'the call has ended, or this server does not know it: start another call'],
  NOT_FOUND: [405, 'send an offer with POST, candidates with PATCH, or DELETE to withdraw an offer'],
  REJOIN_REFUSED: [409, 'a call cannot be joined again: start another call'],
  TOO_LARGE: [413, 'the request is too long'],
  TOO_FAST: [429, 'too many calls per second: try again in a moment'],
  BUSY: [429, 'all lines are busy: try again later'],
  FAILED: [500, 'the offer could not be answered'],
  CLOSING: [503, 'the server no longer takes calls'],
} as const satisfies Partial<Record<ErrorCode, readonly [status: number, message: string]>>

/** Stable codes, for programs. */
export type OfferRefusal = keyof typeof refusals
