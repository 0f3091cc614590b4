import { EndwellError } from '../scope/index.ts'

/** The caller had gone before anybody answered. */
export class CallerGoneError extends EndwellError {
  constructor(call: string) {
    super('CALLER_GONE', `call ${call} cannot be answered: the caller has gone. There is nothing to do`)
  }
}

/** A line of one call was opened a second time. */
export class LineTakenError extends EndwellError {
  constructor(call: string) {
    super('LINE_TAKEN', `call ${call} was answered already: start one session with the line of a call`)
  }
}

/** The line was closed while the call was going on. */
export class CallsClosedError extends EndwellError {
  constructor(call: string) {
    super(
      'CALLS_CLOSED',
      `call ${call} was cut: the server takes no calls any more. Close its sessions first`,
    )
  }
}
