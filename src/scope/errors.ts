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

/** The names and codes by which libraries say that a call was cancelled: `fetch`, axios, got, p-cancelable, LLM SDKs. */
const cancelNames = new Set([
  'AbortError',
  'CanceledError',
  'CancelError',
  'CancelledError',
  'APIUserAbortError',
])
const cancelCodes = new Set(['ABORT_ERR', 'ERR_CANCELED', 'ERR_CANCELLED'])
/** Causes followed before an error counts as unrelated: errors can form a circle. */
const LONGEST_CHAIN = 10

/**
 * Whether a task that was cancelled with `reason` threw `error` because of that (SC10): the error is the reason, has it
 * among its causes, or says that something was cancelled and gives no other cause. Never throws, whatever getters the
 * error has.
 */
export function isAnswerTo(reason: CancelledError, error: unknown): boolean {
  try {
    return answers(reason, error, LONGEST_CHAIN)
  } catch {
    return false
  }
}

function answers(reason: CancelledError, error: unknown, depth: number): boolean {
  if (error === reason) return true
  if (!(error instanceof Error) || depth === 0) return false
  if (error instanceof AggregateError)
    return error.errors.length > 0 && error.errors.every((each) => answers(reason, each, depth - 1))
  if (error.cause !== undefined && error.cause !== null) return answers(reason, error.cause, depth - 1)
  return saysCancelled(error)
}

function saysCancelled(error: Error & { readonly code?: unknown }): boolean {
  if (cancelNames.has(error.name) || cancelNames.has(error.constructor.name)) return true
  return typeof error.code === 'string' && cancelCodes.has(error.code)
}
