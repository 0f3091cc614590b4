import { culpritsOf, type Culprit } from '../../../src/host/wire/index.ts'
import type { CallEnding, CloseReason, SessionReport } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'
import { nameText } from '../shared/words.ts'

/** How a session ended, in sentences. */
export interface Verdict {
  /** How the close went. */
  readonly clean: boolean
  /** How the call ended, which says nothing about the close: a closed tab is no mistake of the session. */
  readonly ended: Ending
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

/** How a call ended, in a word or two, and whether that needs a look. */
export interface Ending {
  readonly text: string
  readonly tone: 'plain' | 'warn' | 'bad'
}

export const endings: Readonly<Record<CallEnding, Ending>> = {
  'hung-up': { text: 'hung up', tone: 'plain' },
  transferred: { text: 'transferred', tone: 'plain' },
  requested: { text: 'ended by request', tone: 'plain' },
  lost: { text: 'connection lost', tone: 'warn' },
  capped: { text: 'ended by a limit', tone: 'warn' },
  failed: { text: 'failed', tone: 'bad' },
}

const MAX_OTHERS = 5

export function verdictOf(report: SessionReport): Verdict {
  const { clean, took, closeTimeout, by } = report
  // Reports of older versions do not have it.
  const ended = endings[report.ended] ?? endings.requested
  const who = report.reason === 'requested' && by !== undefined ? ` by ${by}` : ''
  const reason = `${reasons[report.reason]}${who}.`
  const deadline = closeTimeout > 0 ? ` (deadline ${timeText(closeTimeout)})` : ''
  if (clean) {
    const sentence = `Closed cleanly in ${timeText(took)}${deadline}. Nothing left open.`
    return { clean, ended, reason, sentence, others: [] }
  }
  const culprits = culpritsOf(report).map((each) => sentenceOf(describe(each)))
  const sentences =
    report.error || culprits.length === 0 ? [causeOf(report, culprits), ...culprits] : culprits
  return { clean, ended, reason, sentence: sentences[0]!, others: sentences.slice(1, MAX_OTHERS + 1) }
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

/** What a sentence is about: `The tool book`, `The STT`. */
function subjectOf({ name, kind, path }: Culprit): string {
  if (kind === 'task' && path.at(-1) === `tool ${name}`) return `The tool ${name}`
  if (kind === 'problem') return name
  const text = nameText(name)
  const what = kind === 'opening' ? `opening of ${text}` : text
  return `The ${what}`
}

function describe(culprit: Culprit): string {
  const { name, outcome, took, error } = culprit
  const time = took === undefined ? '' : ` after ${timeText(took)}`
  const thrown = error ? `: ${error.name}: ${error.message}` : ''
  const what = subjectOf(culprit)
  switch (outcome) {
    case 'abandoned':
      return `${what} did not stop when it was asked, and was abandoned${time}. It may still be running`
    case 'timed-out':
      return `${what} did not close in time, and was cut off${time}`
    case 'skipped':
      return `There was no time left to close ${nameText(name)}, so it was cut off`
    case 'failed':
      return `${what} failed${time}${thrown}`
    case 'pending':
      return `${what} is still being released in the background`
    case 'aborted':
      return `The connection to ${nameText(name)} did not close in time, and was cut off`
    case 'dropped':
      return `The connection to ${nameText(name)} was lost`
    case 'problem':
      break
  }
  return `${what} failed${thrown}`
}
