import { culpritsOf, type Culprit, type SessionSummary } from '../../../src/host/wire/index.ts'
import type { CallEnding, CloseReason, SessionReport } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'
import { subjectText } from '../shared/words.ts'

/** How a call ended, in sentences. */
export interface Verdict {
  /** How the close went. */
  readonly clean: boolean
  /** How the call ended, which says nothing about the close: a closed tab is no mistake of the agent. */
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
  requested: 'The call was ended on request',
  idle: 'Nobody said anything for too long',
  'max-duration': 'The call reached its maximum duration',
  budget: 'The call used up its budget',
  error: 'A part that the call depends on failed',
  'start-failed': 'The call could not start',
  'host-draining': 'The host was shutting down',
  'host-lost': 'The process that served the call was lost',
}

/** How a call ended, in a word or two, and whether that needs a look. */
export interface Ending {
  readonly text: string
  readonly tone: 'plain' | 'warn' | 'bad'
}

export const endings: Readonly<Record<CallEnding, Ending>> = {
  'hung-up': { text: 'hung up', tone: 'plain' },
  transferred: { text: 'transferred', tone: 'plain' },
  requested: { text: 'ended on request', tone: 'plain' },
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
    return { clean, ended, reason, sentence, others: failedToolsOf(report) }
  }
  const culprits = counted(culpritsOf(report).map(describe))
  const sentences =
    report.error || culprits.length === 0 ? [causeOf(report, culprits), ...culprits] : culprits
  const others = [...sentences.slice(1, MAX_OTHERS + 1), ...failedToolsOf(report)]
  return { clean, ended, reason, sentence: sentences[0]!, others }
}

/** The tools that failed, and what the model was told. They do not keep a call from being clean. */
function failedToolsOf({ transcript }: SessionReport): readonly string[] {
  const failures = transcript.flatMap((item) =>
    item.type === 'tool' && item.result?.failed === true && !item.result.stopped
      ? [`The tool ${item.name} failed: ${item.result.output}`]
      : [],
  )
  return counted(failures).slice(0, MAX_OTHERS)
}

/** Each text once, as a sentence, with how often it occurs. */
function counted(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const each of texts) counts.set(each, (counts.get(each) ?? 0) + 1)
  return [...counts].map(([text, count]) => sentenceOf(count === 1 ? text : `${text} (${count} times)`))
}

/** Why the call had to end, which matters more than what then went wrong in its close. */
function causeOf({ error, reason, by, took }: SessionReport, culprits: readonly string[]): string {
  const rest = culprits.length === 0 ? ` Everything else closed in ${timeText(took)}.` : ''
  const who = by === undefined || reason === 'start-failed' ? '' : `The ${subjectText(by)} failed: `
  if (error) return `${who}${sentenceOf(messageOf(error))}${rest}`
  return `${reason === 'caller-lost' ? reasons[reason] : 'The call was cut off'}.${rest}`
}

/** Adds a full stop, unless the text ends a sentence already. */
function sentenceOf(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** A plain `Error` says no more than its message. */
const messageOf = ({ name, message }: { readonly name: string; readonly message: string }): string =>
  name === 'Error' ? message : `${name}: ${message}`

/** What a sentence is about: `The tool book`, `The STT`. */
function subjectOf({ name, kind, path }: Culprit): string {
  if (kind === 'task' && path.at(-1) === `tool ${name}`) return `The tool ${name}`
  const text = subjectText(name)
  return kind === 'opening' ? `The opening of ${text}` : `The ${text}`
}

function describe(culprit: Culprit): string {
  const { outcome, took, error } = culprit
  const time = took === undefined ? '' : ` after ${timeText(took)}`
  const thrown = error ? `: ${messageOf(error)}` : ''
  const what = subjectOf(culprit)
  // The report is late: the message says it all.
  if (culprit.name === 'the deadline' && error) return capitalised(error.message)
  switch (outcome) {
    case 'abandoned':
      return `${what} did not stop when it was asked, and was abandoned${time}. It may still be running`
    case 'timed-out':
      return `${what} did not close in time, and was cut off${time}`
    case 'skipped':
      return `There was no time left to close the ${subjectText(culprit.name)}, so it was cut off`
    case 'failed':
      return `${what} failed${time}${thrown}`
    case 'pending':
      return `${what} is still being released in the background`
    case 'aborted':
      return `${what} did not close in time, and was cut off`
    case 'dropped':
      return `${what} lost its connection`
    case 'problem':
      break
  }
  return `${what} failed${thrown}`
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const shortOutcomes: Readonly<Record<Culprit['outcome'], string>> = {
  abandoned: 'did not stop when it was asked',
  'timed-out': 'did not close in time',
  skipped: 'was cut off',
  failed: 'failed',
  pending: 'is still closing',
  aborted: 'did not close in time',
  dropped: 'lost its connection',
  problem: 'failed',
}

/** What went wrong in a call, for a list: `The tool book did not stop when it was asked`. Undefined if nothing did. */
export function failureOf({ culprit, failedTools, clean }: SessionSummary): string | undefined {
  if (culprit) return shortSentenceOf(culprit)
  if (failedTools) return `The tool ${failedTools.join(', the tool ')} failed`
  return clean === false ? 'Something failed' : undefined
}

function shortSentenceOf(culprit: Culprit): string {
  const { outcome, error } = culprit
  const thrown = error ? `: ${error.message}` : ''
  return `${subjectOf(culprit)} ${shortOutcomes[outcome]}${thrown}`
}
