import type { CarrierRequest, WebhookAnswer } from './calling.ts'
import type { DialReport } from './dial.ts'

/**
 * Where the attempt of a webhook is. `elsewhere`: the process that dials has answered. `later`: that process cannot be reached now.
 * `gone`: no process dials any more.
 */
export type AttemptPlace = 'here' | 'later' | 'gone' | { readonly elsewhere: WebhookAnswer }

/** The attempts of all processes that share a journal to call somebody. */
export interface SharedDials {
  /** Finds the process that dials with a ticket, and passes a webhook on to it. `here`: somebody has answered already. */
  place(ticket: string, request: CarrierRequest): Promise<AttemptPlace>
  /** A webhook says how an attempt has ended that had no outcome, or an unknown one. */
  ended(ticket: string, report: Omit<DialReport, 'key' | 'took'>): void
}
