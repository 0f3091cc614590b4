import type { DialOutcome } from '../../lines/twilio/index.ts'

/** An attempt to call somebody: `POST /api/calls`, `GET /api/calls/KEY`. */
export interface CallOut {
  readonly key: string
  /** Absent while the attempt is under way. */
  readonly outcome?: DialOutcome
  /** The carrier's name for the call, once it is known. Its session has the same id. */
  readonly id?: string
  /** Why it failed, was cancelled, or is unknown. */
  readonly why?: string
  /** How long it took until the outcome was known, in milliseconds. */
  readonly took?: number
}
