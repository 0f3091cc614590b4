import type { HistoryItem } from '../../../session/index.ts'
import type { CallRecord, CallResume, CallState, CallSummary, Entry, LostCall } from '../journal.ts'
import { listOf, number, optionalNumber, optionalText, text, type Query, type Row } from './database.ts'

/** The columns of a `CallRecord`. */
export const recordColumns =
  'id, host, worker, address, fence, state, agent, line, caller, resume, trace, opened_at, ended_at, orphaned_at, reason, clean, summary'

export function recordOf(row: Row): CallRecord {
  const host = text(row, 'host')
  const worker = optionalText(row, 'worker')
  const resume = optionalText(row, 'resume')
  const clean = optionalNumber(row, 'clean')
  const summary = optionalText(row, 'summary')
  return {
    id: text(row, 'id'),
    state: text(row, 'state') as CallState,
    ...(worker === undefined ? {} : { owner: { host, worker, address: text(row, 'address') } }),
    host,
    fence: number(row, 'fence'),
    agent: text(row, 'agent'),
    line: text(row, 'line'),
    ...given('from', optionalText(row, 'caller')),
    ...(resume === undefined ? {} : { resume: JSON.parse(resume) as CallResume }),
    ...given('trace', optionalText(row, 'trace')),
    openedAt: number(row, 'opened_at'),
    ...given('endedAt', optionalNumber(row, 'ended_at')),
    ...given('orphanedAt', optionalNumber(row, 'orphaned_at')),
    ...given('reason', optionalText(row, 'reason')),
    ...(clean === undefined ? {} : { clean: clean === 1 }),
    ...(summary === undefined ? {} : { summary: JSON.parse(summary) as CallSummary }),
  }
}

/** The field, unless it has no value. */
export const given = <Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { [N in Name]?: T }

const entryOf = (row: Row): Entry => ({
  seq: number(row, 'seq'),
  at: number(row, 'at'),
  item: JSON.parse(text(row, 'item')) as HistoryItem,
})

/** The entries of calls, by call. */
export async function entriesOf(
  query: Query,
  calls: readonly string[],
): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const found = new Map<string, Entry[]>(calls.map((call) => [call, []]))
  if (calls.length === 0) return found
  const rows = await query(
    'select call, seq, at, item from {entries} where call in {list $1} order by call, seq',
    listOf(calls),
  )
  for (const row of rows) found.get(text(row, 'call'))?.push(entryOf(row))
  return found
}

/** The calls of these rows with their entries, oldest first. */
export async function lostCalls(query: Query, rows: readonly Row[]): Promise<readonly LostCall[]> {
  const records = rows.map(recordOf).toSorted((a, b) => a.openedAt - b.openedAt || (a.id < b.id ? -1 : 1))
  const entries = await entriesOf(
    query,
    records.map(({ id }) => id),
  )
  return records.map((record) => ({ ...record, entries: entries.get(record.id) ?? [] }))
}
