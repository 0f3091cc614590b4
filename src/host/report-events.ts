import type { HistoryItem, SessionReport } from '../session/index.ts'
import { clip } from './event-json.ts'
import { limits } from './limits.ts'
import type { LiveEvent } from './wire/index.ts'

/** A report as the host stores it: with the events of the call. */
export interface StoredReport extends SessionReport {
  /** Absent if the process of the call is gone. */
  readonly timeline?: readonly LiveEvent[]
}

/** What happened in a call: as it was noted or, for a call whose process is gone, as far as its report says. */
export function eventsOfReport({ timeline, ...report }: StoredReport): readonly LiveEvent[] {
  if (timeline) return timeline
  const begin = Date.parse(report.startedAt ?? report.askedAt)
  const errors = report.errors.map(({ where, at, error }): LiveEvent => ({
    at: begin + at,
    type: 'error',
    where,
    error,
  }))
  const transfers = (report.transfers ?? []).map(({ at, to, outcome, why }): LiveEvent => ({
    at: begin + at,
    type: 'transfer',
    to,
    outcome,
    ...(why === undefined ? {} : { why }),
  }))
  const guardrails = report.guardrails.map((each): LiveEvent => ({
    // The report does not say when: after everything else.
    at: begin + report.lived,
    type: 'guardrail',
    ...each,
  }))
  return [...eventsOfItems(report.transcript), ...errors, ...transfers, ...guardrails]
    .toSorted((one, other) => one.at - other.at)
    .slice(-limits.timeline)
}

/** The events of what was said and done before, in another process. Unheard words are not known. */
export function eventsOfItems(items: readonly HistoryItem[]): LiveEvent[] {
  return items.flatMap((item, index) => eventsOf(item, -1 - index))
}

/** `speech` must differ from that of other speeches. */
function eventsOf(item: HistoryItem, speech: number): LiveEvent[] {
  const { at } = item
  if (item.type === 'handoff') return [{ at, type: 'handoff', from: item.from, to: item.to }]
  if (item.type === 'tool') {
    const { call: id, name, input, result } = item
    const began: LiveEvent = { at, type: 'tool', id, name, input: clip(input) }
    if (!result) return [began]
    const { output, failed, stopped, at: doneAt } = result
    const how = { failed, ...(stopped ? { stopped } : {}) }
    return [began, { at: doneAt, type: 'tool-done', id, name, output: clip(output), ...how }]
  }
  const how = item.interrupted ? 'interrupted' : 'played'
  if (item.type === 'keys') return [{ at, type: 'pressed', keys: clip(item.keys), how, confirmed: true }]
  const text = clip(item.text)
  if (item.role === 'user') return [{ at, type: 'user', text }]
  const agent = item.agent === undefined ? {} : { agent: item.agent }
  return [{ at, type: 'spoken', speech, text, heard: text, how, confirmed: true, ...agent }]
}
