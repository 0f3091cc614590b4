import { culpritsOf, type Culprit } from '../../../src/host/wire/index.ts'
import type { CloseReason, SessionReport } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'

/** How a session ended, in sentences. */
export interface Verdict {
  readonly clean: boolean
  /** Why it ended: `The caller hung up.` */
  readonly reason: string
  /** How the close went, or the worst thing that went wrong. */
  readonly sentence: string
  /** What else went wrong, one sentence each. */
  readonly others: readonly string[]
}

export const reasons: Readonly<Record<CloseReason, string>> = {
  'caller-hung-up': 'The caller hung up',
  'caller-lost': 'The connection to the caller was lost',
  'agent-hung-up': 'The agent hung up',
  transferred: 'The caller was transferred',
  requested: 'A close was requested',
  idle: 'The session was idle for too long',
  'max-duration': 'The session reached its maximum duration',
  budget: 'The session used up its budget',
  error: 'A part that the session depends on failed',
  'start-failed': 'The session could not start',
  'host-draining': 'The host was shutting down',
  'host-lost': 'The host was lost',
}

const MAX_OTHERS = 5

export function verdictOf(report: SessionReport): Verdict {
  const { clean, took, closeTimeout, by } = report
  const who = report.reason === 'requested' && by !== undefined ? ` by ${by}` : ''
  const reason = `${reasons[report.reason]}${who}.`
  const deadline = closeTimeout > 0 ? ` (deadline ${timeText(closeTimeout)})` : ''
  if (clean) {
    const sentence = `Closed cleanly in ${timeText(took)}${deadline}. Nothing left open.`
    return { clean, reason, sentence, others: [] }
  }
  const culprits = culpritsOf(report).map((each) => sentenceOf(describe(each)))
  const sentences =
    report.error || culprits.length === 0 ? [causeOf(report, culprits), ...culprits] : culprits
  return { clean, reason, sentence: sentences[0]!, others: sentences.slice(1, MAX_OTHERS + 1) }
}

/** Why the session had to end, which matters more than what then went wrong in its close. */
function causeOf({ error, reason, by, took }: SessionReport, culprits: readonly string[]): string {
  const rest = culprits.length === 0 ? ` Everything else closed in ${timeText(took)}.` : ''
  const who = by === undefined || reason === 'start-failed' ? '' : `${by} failed: `
  if (error) return `${who}${sentenceOf(`${error.name}: ${error.message}`)}${rest}`
  return `${reason === 'caller-lost' ? reasons[reason] : 'The session was cut off'}.${rest}`
}

/** Adds a full stop, unless the text ends a sentence already. */
function sentenceOf(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function describe({ name, kind, outcome, took, error }: Culprit): string {
  const time = took === undefined ? '' : ` after ${timeText(took)}`
  const thrown = error ? `: ${error.name}: ${error.message}` : ''
  const what = kind === 'opening' ? `Opening ${name}` : name
  switch (outcome) {
    case 'abandoned':
      return `${what} did not stop when it was cancelled, and was abandoned${time}. It may still be running`
    case 'timed-out':
      return `${what} did not close in time, and was aborted${time}`
    case 'skipped':
      return `There was no time left to close ${name}, so it was aborted`
    case 'failed':
      return `${what} failed${time}${thrown}`
    case 'pending':
      return `${what} is still being released in the background`
    case 'aborted':
      return `The connection to ${name} did not close in time, and was aborted`
    case 'dropped':
      return `The connection to ${name} was lost`
    case 'problem':
      break
  }
  return `${what} threw${thrown}`
}
