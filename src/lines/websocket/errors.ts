import { EndwellError } from '../../scope/index.ts'

/** A page broke the protocol: unknown messages, or too many. Its call ends. */
export class PageMisbehavedError extends EndwellError {
  constructor(call: string, what: string) {
    super('PAGE_MISBEHAVED', `the page of call ${call} was cut off: ${what}. Use the client of this version`)
  }
}
