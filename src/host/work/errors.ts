import { EndwellError } from '../../scope/index.ts'

/**
 * Thrown by an after-call handler for work that can never succeed. The work is dead at once instead of being retried.
 *
 * ```ts
 * throw new Unrecoverable('the account was deleted')
 * ```
 */
export class Unrecoverable extends EndwellError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNRECOVERABLE', message, options)
  }
}

/**
 * Thrown by an after-call handler that knows when to try again. The work waits for at least `delay` milliseconds, and for
 * an hour at most.
 */
export class RetryLater extends EndwellError {
  readonly delay: number

  constructor(message: string, delay: number, options?: ErrorOptions) {
    super('RETRY_LATER', message, options)
    this.delay = delay
  }
}

/** A webhook was not accepted by its receiver. The message has the receiver's host and no secret. */
export class WebhookError extends EndwellError {
  constructor(message: string) {
    super('WEBHOOK_FAILED', message)
  }
}
