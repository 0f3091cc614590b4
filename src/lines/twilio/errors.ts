import { EndwellError } from '../../scope/index.ts'

/** The carrier broke the protocol: too many messages, or messages that make no sense. The stream is cut. */
export class CarrierMisbehavedError extends EndwellError {
  constructor(call: string, what: string) {
    super(
      'CARRIER_MISBEHAVED',
      `the stream of call ${call} was cut off: ${what}. Check the option carrier, and any proxy in between`,
    )
  }
}

/** A call was answered, but its stream never came. */
export class StreamMissingError extends EndwellError {
  constructor(call: string, ms: number) {
    super(
      'STREAM_MISSING',
      `call ${call} was answered, but its stream did not come within ${ms} ms: ` +
        'check that the carrier can reach publicUrl by WebSocket',
    )
  }
}

/** The carrier did not confirm the end of a call: the call may go on there, and cost money. */
export class HangUpUnconfirmedError extends EndwellError {
  constructor(call: string, why: string) {
    super(
      'HANG_UP_UNCONFIRMED',
      `the carrier has not confirmed that call ${call} has ended: ${why}. Look for it in the carrier's call log`,
    )
  }
}

/** A call out cannot be made. */
export class DialError extends EndwellError {
  constructor(code: 'DIAL_IMPOSSIBLE' | 'DIAL_CLOSED' | 'DIAL_QUEUE_FULL', why: string) {
    super(code, `cannot call out: ${why}`)
  }
}

/** The carrier has not pressed keys, as far as is known. */
export class KeysNotPressedError extends EndwellError {
  constructor(call: string, why: string) {
    super('KEYS_NOT_PRESSED', `the keys of call ${call} were not pressed: ${why}`)
  }
}

/** A call cannot be transferred without credentials for the carrier's REST API. */
export class TransferImpossibleError extends EndwellError {
  constructor(call: string) {
    super(
      'TRANSFER_IMPOSSIBLE',
      `call ${call} cannot be transferred: the carrier must be asked for that, so set authToken, and accountSid if needed`,
    )
  }
}
