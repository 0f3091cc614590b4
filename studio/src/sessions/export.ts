import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { failureOf } from '../ended/verdict.ts'

type Value = string | number | boolean | undefined

/** The columns of the table, and what they have of a call. Times are in ISO 8601, durations in milliseconds. */
const columns: Readonly<Record<string, (session: SessionSummary) => Value>> = {
  id: ({ id }) => id,
  startedAt: ({ addedAt }) => dateOf(addedAt),
  endedAt: ({ closedAt }) => dateOf(closedAt),
  agent: ({ agent }) => agent,
  from: ({ from }) => from,
  state: ({ state }) => state,
  ended: ({ ended }) => ended,
  reason: ({ reason }) => reason,
  clean: ({ clean }) => clean,
  whatWentWrong: failureOf,
  culprit: ({ culprit }) => culprit?.name,
  failedTools: ({ failedTools }) => failedTools?.join(' '),
  errors: ({ errors }) => errors,
  turns: ({ turns }) => turns,
  lived: ({ lived }) => lived,
  responseP50: ({ latency }) => latency?.p50,
  responseP95: ({ latency }) => latency?.p95,
  slowestStage: ({ latency }) => latency?.stage,
  cost: ({ cost }) => cost?.total,
  currency: ({ cost }) => cost?.currency,
  unpriced: ({ cost }) => cost?.unpriced?.join(' '),
  closeTime: ({ took }) => took,
  words: ({ words }) => words,
}

/** A list of calls for a spreadsheet. */
export function csvOf(sessions: readonly SessionSummary[]): string {
  const cells = Object.values(columns)
  const rows = sessions.map((session) => cells.map((valueOf) => cellOf(valueOf(session))).join(','))
  return [Object.keys(columns).join(','), ...rows, ''].join('\r\n')
}

const dateOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString()

/** A text that begins like a formula would be run by a spreadsheet, and callers choose what they say. */
function cellOf(value: Value): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
