import type { SessionSummary } from '../../../src/host/wire/index.ts'

const columns = [
  'id',
  'addedAt',
  'closedAt',
  'agent',
  'from',
  'state',
  'ended',
  'reason',
  'clean',
  'lived',
  'took',
  'turns',
  'errors',
  'culprit',
  'words',
] as const

/** A list of sessions for a spreadsheet. Times are in ISO 8601, durations in milliseconds. */
export function csvOf(sessions: readonly SessionSummary[]): string {
  const rows = sessions.map((session) => columns.map((name) => cellOf(valueOf(session, name))).join(','))
  return [columns.join(','), ...rows, ''].join('\r\n')
}

function valueOf(session: SessionSummary, name: (typeof columns)[number]): string {
  if (name === 'culprit') return session.culprit?.name ?? ''
  const value = session[name]
  if (value === undefined) return ''
  return name === 'addedAt' || name === 'closedAt' ? new Date(Number(value)).toISOString() : String(value)
}

/** A text that begins like a formula would be run by a spreadsheet, and callers choose what they say. */
function cellOf(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
