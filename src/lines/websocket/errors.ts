import { EndwellError } from '../../scope/index.ts'

/** A page sends what it must not: nonsense, or too much of it. Its call is over. */
export class PageMisbehavedError extends EndwellError {
  constructor(call: string, what: string) {
    super('PAGE_MISBEHAVED', `the page of call ${call} was cut off: ${what}. Use the client of this version`)
  }
}
