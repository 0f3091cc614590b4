import { EndwellError } from '../scope/index.ts'

/** A part did not answer within its time limit. */
export class PartTimeoutError extends EndwellError {
  constructor(what: string, ms: number) {
    super('PART_TIMEOUT', `${what} took longer than ${ms} ms: raise the limit, or use a faster model`)
  }
}

/** Every model of a fallback has failed. `errors` holds their errors, in the order in which they were tried. */
export class FallbackError extends EndwellError {
  readonly errors: readonly unknown[]

  constructor(name: string, failures: readonly { readonly name: string; readonly error: unknown }[]) {
    const list = failures.map((each) => `${each.name}: ${describe(each.error)}`).join('; ')
    super('ALL_FAILED', `every model of '${name}' has failed: ${list}`, { cause: failures.at(-1)?.error })
    this.errors = failures.map(({ error }) => error)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
