/** The outcomes, in the words of reports and of changes, after which an end is not clean, or not over. */
const wrong: ReadonlySet<string> = new Set([
  'failed',
  'timed-out',
  'skipped',
  'pending',
  'abandoned',
  'aborted',
  'dropped',
  'problem',
  'not clean',
])

export const isWrong = (outcome: string | undefined): boolean => outcome !== undefined && wrong.has(outcome)
