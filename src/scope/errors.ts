/**
 * Every error endwell throws on purpose. `code` is stable and made for programs; the message is made for people and
 * says what happened, to what, and what to do about it.
 */
export class EndwellError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Something was asked of a scope that is closing or closed. `cause` is the reason it was closed for. */
export class ScopeClosedError extends EndwellError {
  constructor(scope: string | undefined, what: string, cause: CancelledError | undefined) {
    const which = scope === undefined ? 'its scope' : `scope '${scope}'`
    const why = cause ? ` (${cause.message})` : ''
    super('SCOPE_CLOSED', `cannot ${what}: ${which} is closing or closed${why}`, { cause })
  }
}

/**
 * The reason a task was cancelled with: one object shared by everything that one close cancels.
 *
 * Its name is `AbortError`, so that code written for `AbortSignal` recognises it as an asked-for end.
 */
export class CancelledError extends EndwellError {
  constructor(message: string) {
    super('CANCELLED', message)
    this.name = 'AbortError'
  }
}

/**
 * Makes an error without a stack. A stack keeps alive every object on it until somebody reads it; an error that is
 * kept by work which never ends would keep the whole closed session (SC9).
 */
export function withoutStack<E extends Error>(make: () => E): E {
  // Known to the engines that keep such stacks; elsewhere it is a property nobody reads.
  const engine = Error as { stackTraceLimit?: number | undefined }
  const { stackTraceLimit } = engine
  engine.stackTraceLimit = 0
  try {
    return make()
  } finally {
    engine.stackTraceLimit = stackTraceLimit
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
 * Whether `error` is the answer to being cancelled with `reason` (SC10): the reason itself, or an error that says it
 * was aborted because of it. Anything else that is thrown after a cancel is a failure.
 */
export function isAnswerTo(reason: CancelledError, error: unknown): boolean {
  if (error === reason) return true
  if (!(error instanceof Error) || error.cause !== reason) return false
  return error.name === 'AbortError' || error instanceof ScopeClosedError
}
