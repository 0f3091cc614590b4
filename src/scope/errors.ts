import type { ErrorCode } from './error-codes.ts'

/**
 * The base of every error that endwell throws on purpose. `code` is stable and meant for programs; the message is for
 * people and says what happened, to what, and what to do.
 */
export class EndwellError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Something was requested of a scope that is closing or closed. `cause` is the reason of the close. */
export class ScopeClosedError extends EndwellError {
  constructor(scope: string | undefined, what: string, cause: CancelledError | undefined) {
    const which = scope === undefined ? 'its scope' : `scope '${scope}'`
    const why = cause ? ` (${cause.message})` : ''
    super('SCOPE_CLOSED', `cannot ${what}: ${which} is closing or closed${why}`, { cause })
  }
}

/**
 * The reason a task was cancelled for. Everything that one close cancels gets the same object.
 *
 * Its name is `AbortError`, so that code written for `AbortSignal` recognizes it.
 */
export class CancelledError extends EndwellError {
  constructor(message: string) {
    super('CANCELLED', message)
    this.name = 'AbortError'
  }
}

/** A thing without a synchronous `abort()` was offered to a scope (SC6). */
export class NotAResourceError extends EndwellError {
  constructor(name: string) {
    super(
      'NOT_A_RESOURCE',
      `'${name}' cannot be owned: it needs close(signal) and a synchronous abort(). ` +
        `Wrap it: { close: (signal) => …, abort: () => … }`,
    )
  }
}

/** A named limit was reached (SC18). */
export class LimitError extends EndwellError {
  constructor(limit: string, value: number, message: string) {
    super('LIMIT', `${message} (limit ${limit} = ${value})`)
  }
}

/** An option has a value that cannot work. */
export class OptionError extends EndwellError {
  constructor(message: string) {
    super('BAD_OPTION', message)
  }
}

/**
 * Creates an error without a stack. An unread stack keeps every object on it alive, so an error held by work that never
 * ends would keep the whole closed session alive (SC9).
 */
export function withoutStack<E extends Error>(make: () => E): E {
  // A V8 property. On other engines, setting it has no effect.
  const engine = Error as { stackTraceLimit?: number | undefined }
  const { stackTraceLimit } = engine
  engine.stackTraceLimit = 0
  try {
    return make()
  } finally {
    engine.stackTraceLimit = stackTraceLimit
  }
}
