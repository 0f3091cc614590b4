/** The outcomes, in the words of reports and of changes, after which an end is not clean, or not over. */
const wrong = [
  'failed',
  'timed-out',
  'skipped',
  'pending',
  'abandoned',
  'aborted',
  'dropped',
  'problem',
  'not clean',
] as const

export type WrongOutcome = (typeof wrong)[number]

const wrongOutcomes: ReadonlySet<string | undefined> = new Set(wrong)

export const isWrong = (outcome: string | undefined): outcome is WrongOutcome => wrongOutcomes.has(outcome)
