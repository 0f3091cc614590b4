import { EndwellError } from '../../scope/index.ts'

/** An offer of a client cannot be answered. */
export class OfferInvalidError extends EndwellError {
  constructor(why: string) {
    super('OFFER_INVALID', `the offer cannot be answered: ${why}`)
  }
}

/** A connection has ended before its offer was answered. */
export class ConnectionEndedError extends EndwellError {
  constructor() {
    super('CALLER_GONE', 'the connection has ended before its offer was answered. There is nothing to do')
  }
}

/** The thread of a call has ended, and the call with it. */
export class ThreadDiedError extends EndwellError {
  constructor(why: string) {
    super(
      'WORKER_DIED',
      `the worker thread that had the connection of this call has ended: ${why}. The next call starts another`,
    )
  }
}
