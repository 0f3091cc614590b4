import { EndwellError } from '../../scope/index.ts'

/** An RTVI client broke the protocol, or sent too much. Its call ends. */
export class ClientMisbehavedError extends EndwellError {
  constructor(call: string, what: string) {
    super('CLIENT_MISBEHAVED', `the client of call ${call} was cut off: ${what}`)
  }
}
