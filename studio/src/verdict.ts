import { culpritsOf } from '../../src/host/culprit.ts'
import type { Culprit } from '../../src/host/wire.ts'
import { timeText } from '../../src/report/index.ts'
import type { CloseReason, SessionReport } from '../../src/session/report.ts'

/** How a session ended, in sentences. */
export interface Verdict {
  readonly clean: boolean
  /** Why it ended: `The caller hung up.` */
  readonly reason: string
  /** What the end was like, and who is to blame if it was not clean. */
  readonly sentence: string
  /** What else went wrong, a line each. */
  readonly others: readonly string[]
}

export const reasons: Readonly<Record<CloseReason, string>> = {
  'caller-hung-up': 'The caller hung up',
  'caller-lost': 'The caller vanished',
  'agent-hung-up': 'The agent hung up',
  requested: 'It was asked to close',
  idle: 'Nobody said anything for too long',
  'max-duration': 'It had lasted as long as it may',
  budget: 'Its budget was spent',
  error: 'Something broke that it cannot go on without',
  'start-failed': 'It could not start',
  'host-draining': 'The host is going away',
  'host-lost': 'The host was lost',
}

/** How many others are named. */
const mostOthers = 5

export function verdictOf(report: SessionReport): Verdict {
  const { clean, took, closeTimeout, by } = report
  const who = report.reason === 'requested' && by !== undefined ? ` by ${by}` : ''
  const reason = `${reasons[report.reason]}${who}.`
  const time = closeTimeout > 0 ? `${timeText(took)} of the ${timeText(closeTimeout)} it had` : timeText(took)
  if (clean) return { clean, reason, sentence: `Ended well, in ${time}. Nothing is left.`, others: [] }
  const blamed = culpritsOf(report).map((each) => sentence(blame(each)))
  const sentences = report.error || blamed.length === 0 ? [broken(report, blamed), ...blamed] : blamed
  return { clean, reason, sentence: sentences[0]!, others: sentences.slice(1, mostOthers + 1) }
}

/** The session was cut off: by what broke, or by a line that went dead. That comes before what happened in its close. */
function broken({ error, reason, by, took }: SessionReport, blamed: readonly string[]): string {
  const tidied = blamed.length === 0 ? ` Everything else was ended in ${timeText(took)}.` : ''
  const who = by === undefined || reason === 'start-failed' ? '' : `${by} failed: `
  if (error) return `${who}${sentence(`${error.name}: ${error.message}`)}${tidied}`
  return reason === 'caller-lost' ? `The line went dead without a word.${tidied}` : `It was cut off.${tidied}`
}

/** Messages of errors end with a stop, or do not. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function blame({ name, kind, outcome, took, error }: Culprit): string {
  const time = took === undefined ? '' : ` after ${timeText(took)}`
  const thrown = error ? `: ${error.name}: ${error.message}` : ''
  const what = kind === 'opening' ? `The opening of ${name}` : name
  switch (outcome) {
    case 'abandoned':
      return `${what} did not stop when it was asked, and was given up${time}. It may still be running`
    case 'timed-out':
      return `${what} did not close in time, and was cut off${time}`
    case 'skipped':
      return `There was no time left to close ${name}, so it was cut off`
    case 'failed':
      return `${what} failed${time}${thrown}`
    case 'pending':
      return `${what} goes on in the background`
    case 'aborted':
      return `The connection of ${name} did not end in time, and was cut`
    case 'dropped':
      return `The connection of ${name} was lost`
    default:
      return `${what} threw${thrown}`
  }
}
