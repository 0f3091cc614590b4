import { EndwellError } from '../../scope/index.ts'

/** The carrier sends what it must not: nonsense, or too much of it. The stream of the call is cut. */
export class CarrierMisbehavedError extends EndwellError {
  constructor(call: string, what: string) {
    super(
      'CARRIER_MISBEHAVED',
      `the stream of call ${call} was cut off: ${what}. Check the option carrier, and what stands between`,
    )
  }
}

/** A call was answered, and its sound never came. */
export class StreamMissingError extends EndwellError {
  constructor(call: string, ms: number) {
    super(
      'STREAM_MISSING',
      `call ${call} was answered, and its stream did not come within ${ms} ms: ` +
        'check that the carrier can reach publicUrl by WebSocket',
    )
  }
}

/** The carrier was asked to end a call and did not say that it has: the call may go on there, and cost. */
export class HangUpUnconfirmedError extends EndwellError {
  constructor(call: string, why: string) {
    super(
      'HANG_UP_UNCONFIRMED',
      `the carrier has not confirmed that call ${call} is over: ${why}. Look for it in the carrier's log of calls`,
    )
  }
}
