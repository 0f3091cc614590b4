import type { HistoryItem, SessionReport } from '../../session/index.ts'
import type { LostCall } from '../journal/journal.ts'

/** The items of a history, from the entries of a call: the latest entry of an item counts. */
export function itemsOf(lost: Pick<LostCall, 'entries'> | undefined): HistoryItem[] {
  const items = new Map<string, HistoryItem>()
  for (const { item } of lost?.entries ?? []) items.set(item.id, item)
  return [...items.values()]
}

/**
 * The report of a call whose process is gone, from what the journal has of it (HO4). It says when the call was last heard of,
 * and what was said until then. How its resources ended is not known.
 */
export function lostReport(
  lost: Pick<LostCall, 'id' | 'openedAt' | 'entries' | 'resume'>,
  now: number,
  culprit?: string,
): SessionReport {
  const { id, openedAt, entries } = lost
  const place = lost.resume?.recording
  const lastAt = entries.at(-1)?.at ?? openedAt
  const transcript = itemsOf(lost)
  const askedAt = new Date(now).toISOString()
  const lived = Math.max(0, lastAt - openedAt)
  const message = culprit ?? 'the process that served the call is gone'
  const turns = transcript.filter((item) => item.type === 'message' && item.role === 'user').length
  const toolCalls = transcript.filter(({ type }) => type === 'tool').length
  return {
    version: 1,
    id,
    reason: 'host-lost',
    ended: 'lost',
    by: 'host',
    error: { name: 'HostLostError', code: 'HOST_LOST', message },
    startedAt: new Date(openedAt).toISOString(),
    askedAt,
    lived,
    took: 0,
    closeTimeout: 0,
    clean: false,
    alsoAsked: [],
    errors: [],
    errorCount: 0,
    guardrails: [],
    connections: [],
    usage: { turns, toolCalls, models: {} },
    turns: [],
    transcript,
    ...(place === undefined ? {} : { recordings: [{ place, complete: false }] }),
    scope: {
      version: 1,
      name: id,
      reason: 'host-lost',
      askedAt,
      lived,
      took: 0,
      closeTimeout: 0,
      phases: [],
      clean: false,
      alsoAsked: [],
      steps: [],
      tasks: [],
      children: [],
      problems: [],
      totals: { ended: 0, cancelled: 0, failed: 0, abandoned: 0, closer: 0 },
      omitted: 0,
    },
  }
}

/** A call that goes on in another process has a recording for each of them. */
export function withEarlierRecording(
  report: SessionReport,
  lost: Pick<LostCall, 'resume'> | undefined,
): SessionReport {
  const place = lost?.resume?.recording
  if (place === undefined) return report
  return { ...report, recordings: [{ place, complete: false }, ...(report.recordings ?? [])] }
}
