/** The outcomes in reports and changes that keep a close from being clean. */
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
