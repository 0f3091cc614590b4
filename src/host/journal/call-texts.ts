import type { HistoryItem, SessionReport } from '../../session/index.ts'
import type { StoredReport } from '../report-events.ts'
import type { CallSummary } from './journal.ts'

// What was said in a call, as the journal searches and removes it.

/** The longest text that is searched for, in characters. */
const MAX_WORDS = 200

/** The text that a search for an entry looks in. */
export const wordsOf = (item: HistoryItem): string => (item.type === 'message' ? item.text.toLowerCase() : '')

/** What a search looks for. Undefined if it has no words. */
export function searched(words: string | undefined): string | undefined {
  const wanted = words?.trim().slice(0, MAX_WORDS).toLowerCase()
  return wanted === '' ? undefined : wanted
}

const REDACTED = '[redacted]'

/** The item without what was said. It stays an item that a history accepts. */
export function redactedItem(item: HistoryItem): HistoryItem {
  if (item.type === 'message') return { ...item, text: REDACTED }
  if (item.type === 'handoff') return item
  if (item.type === 'keys') return { ...item, keys: REDACTED }
  const { result, ...call } = item
  return { ...call, input: '{}', ...(result ? { result: { ...result, output: REDACTED } } : {}) }
}

/** The report without what was said. The verdict of a guardrail may quote it. */
export function redactedReport(stored: StoredReport): SessionReport {
  const { timeline: _, ...report } = stored
  return {
    ...report,
    transcript: report.transcript.map(redactedItem),
    guardrails: report.guardrails.map((each) => ({ ...each, verdict: REDACTED })),
  }
}

/** What a list shows of a report, without what was said. */
export function redactedSummary(stored: CallSummary): CallSummary {
  const { words: _, ...summary } = stored
  return summary
}

/** When the call ended by the clock of its host. Undefined if the report has no valid date. */
export function endOf({ askedAt, took }: SessionReport): number | undefined {
  const end = Date.parse(askedAt) + took
  return Number.isFinite(end) ? end : undefined
}

/** The key of a piece of work: different for different calls and handlers, whatever characters they contain. */
export const workKey = (call: string, handler: string): string =>
  `${call}/${handler.replaceAll('%', '%25').replaceAll('/', '%2F')}`
