export { CallerGoneError, CallsClosedError, LineTakenError } from '../errors.ts'
export type { DialOutcome } from './dial-machine.ts'
export type { CarrierRequest } from './calling.ts'
export type { Dial, DialOptions, DialReport } from './dial.ts'
export {
  CarrierMisbehavedError,
  DialError,
  HangUpUnconfirmedError,
  StreamMissingError,
  TransferImpossibleError,
} from './errors.ts'
export { hangUpCall, type HangUpCallOptions } from './hang-up-call.ts'
export type { ComesBack, PhoneCallInfo, TwilioCallsOptions } from './options.ts'
export type { RecordedCall } from './recorded-call.ts'
export type { AttemptPlace, SharedDials } from './shared-dials.ts'
export { TwilioCalls } from './twilio-calls.ts'
export type { TwilioLine } from './twilio-line.ts'
