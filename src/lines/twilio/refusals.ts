import type { Peer } from '../peer.ts'

/** Whether an upgrade becomes a stream. `accept` takes the socket. */
export type Decision =
  | { readonly accept: (peer: Peer) => void; readonly refused?: undefined }
  | { readonly accept?: undefined; readonly refused: RefusalCode }

export type RefusalCode = keyof typeof refusals

/** Why a stream was refused, with its HTTP status. */
export const refusals = {
  NOT_A_CALL: [404, 'there are no streams at this address'],
  NOT_THE_CARRIER: [403, 'the carrier did not sign this request for this address: check publicUrl'],
  TICKET_INVALID: [403, 'a stream needs the address that the webhook has just given out: each is good once'],
  CALL_GONE: [404, 'the call has ended, or its webhook reached another process: see the option beginsWith'],
  BUSY: [503, 'too many streams have not said which call they belong to'],
  CLOSING: [503, 'the server no longer takes calls'],
} as const
