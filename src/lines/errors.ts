import { EndwellError } from '../scope/index.ts'

/** The caller left before the call was answered. */
export class CallerGoneError extends EndwellError {
  constructor(call: string) {
    super('CALLER_GONE', `call ${call} cannot be answered: the caller has left. There is nothing to do`)
  }
}

/** The line of a call was opened a second time. */
export class LineTakenError extends EndwellError {
  constructor(call: string) {
    super('LINE_TAKEN', `call ${call} was answered already: start only one session with the line of a call`)
  }
}

/** The calls were closed while this one was active. */
export class CallsClosedError extends EndwellError {
  constructor(call: string) {
    super('CALLS_CLOSED', `call ${call} was cut: the server no longer takes calls. Close its sessions first`)
  }
}

/** A package that a line needs is not installed. */
export class PackageMissingError extends EndwellError {
  constructor(user: string, name: string, all: readonly string[]) {
    super(
      'ENGINE_MISSING',
      `${user} needs the package ${name}, which is not installed. Run: npm install ${all.join(' ')}`,
    )
  }
}
