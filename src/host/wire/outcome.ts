/** The outcomes in reports and changes that keep a close from being clean. */
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
