import type { TwilioCall } from './twilio-call.ts'
import type { AnsweringMachine, DetectionManners } from './twilio-detection.ts'
import type { TwilioCallEvent } from './twilio-events.ts'
import type { LegManners } from './twilio-leg.ts'

/** What happens when a person is called. */
export interface TwilioPersonOptions extends LegManners {
  /** Milliseconds from the first ring to the outcome. Default: 1,000. */
  readonly answersAfter?: number
  /**
   * - `answers`: picks up (default)
   * - `busy`: is on the phone; it never rings
   * - `no-answer`: their network gives up ringing
   * - `rejects`: declines
   * - `fails`: their network is out of order
   * - `never`: it rings until the carrier's timeout, unless the test calls `answers()` or `hangUp()`
   */
  readonly outcome?: 'answers' | 'busy' | 'no-answer' | 'rejects' | 'fails' | 'never'
  /** An answering machine picks up: it plays its greeting and a beep. */
  readonly machine?: AnsweringMachine
  /** How machine detection goes. Default: it finds the truth. */
  readonly detection?: DetectionManners
  /** Picks up at the instant the application ends a call that rings. Default: false. */
  readonly answersAtHangUp?: boolean
  /** How many more times the document of an outbound call is requested at once. Default: 0. */
  readonly repeats?: number
  /** Called when the phone starts to ring. */
  readonly onCall?: (call: TwilioCall) => void
  /** Called synchronously for every event of the person's calls. */
  readonly onEvent?: (event: TwilioCallEvent, call: TwilioCall) => void
}

/** Somebody with a phone that a carrier can ring. */
export class TwilioPerson {
  readonly number: string
  /** How the next call is treated. */
  options: TwilioPersonOptions
  /** All calls to this person, the oldest first. */
  readonly calls: TwilioCall[] = []

  constructor(number: string, options: TwilioPersonOptions) {
    this.number = number
    this.options = options
  }
}
