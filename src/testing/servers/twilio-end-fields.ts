import type { CallEnder, CallState } from './twilio-events.ts'
import type { CarrierDialect } from './twilio-frames.ts'

export interface CallEnd {
  readonly by: CallEnder
  readonly state: CallState
  /** Why nobody answered, as a SIP status. */
  readonly sip?: number
}

/** What the last status callback says about the end of a call. */
export function endFields(dialect: CarrierDialect, end: CallEnd): Record<string, string> {
  if (dialect === 'telnyx') return { HangupCause: hangupCause(end), HangupSource: hangupSource(end.by) }
  return end.sip === undefined ? {} : { SipResponseCode: String(end.sip) }
}

/** Telnyx's word for the end of a call. */
export function hangupCause({ state, sip }: CallEnd): string {
  if (sip === 603) return 'call_rejected'
  if (sip === 404) return 'not_found'
  switch (state) {
    case 'completed':
      return 'normal_clearing'
    case 'busy':
      return 'user_busy'
    case 'no-answer':
      return sip === 480 ? 'no_answer' : 'timeout'
    case 'canceled':
      return 'originator_cancel'
    case 'failed':
    case 'queued':
    case 'initiated':
    case 'ringing':
    case 'in-progress':
      return 'unspecified'
  }
  return 'unspecified'
}

/** Who hung up: the phone that called, or the one that was called. */
function hangupSource(by: CallEnder): string {
  if (by === 'person') return 'callee'
  return by === 'carrier' ? 'unknown' : 'caller'
}
