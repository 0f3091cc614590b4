import { ExpectationError } from '../expectation.ts'

/** What a judge says about one criterion. */
export interface CriterionVerdict {
  readonly criterion: string
  readonly passed: boolean
  readonly reason: string
  /** The lines of the transcript that the judge refers to, as they are. */
  readonly quotes: readonly string[]
}

/** What a judge says about a call. */
export class Judgement {
  /** A verdict per criterion, in their order. */
  readonly verdicts: readonly CriterionVerdict[]

  /** @internal Created by `judge` of a rehearsal. */
  constructor(verdicts: readonly CriterionVerdict[]) {
    this.verdicts = verdicts
  }

  get passed(): boolean {
    return this.failed.length === 0
  }

  /** The criteria that the call does not meet. */
  get failed(): readonly CriterionVerdict[] {
    return this.verdicts.filter(({ passed }) => !passed)
  }

  /** Throws an `ExpectationError` that shows all verdicts, unless the call meets every criterion. */
  expectPassed(): this {
    const { failed, verdicts } = this
    if (failed.length === 0) return this
    throw new ExpectationError(
      `the call does not meet ${failed.length} of ${verdicts.length} criteria\n\n${this.toString()}`,
      [],
      failed.map(({ criterion }) => criterion),
    )
  }

  /** Formats the verdicts, with reasons and quotes. */
  toString(): string {
    return this.verdicts
      .map(({ criterion, passed, reason, quotes }) =>
        [`${passed ? '✓' : '✗'} ${criterion}`, `  ${reason}`, ...quotes.map((quote) => `  > ${quote}`)].join(
          '\n',
        ),
      )
      .join('\n')
  }
}
