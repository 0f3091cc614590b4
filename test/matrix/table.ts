import type { CaseResult } from './run-case.ts'

/** The text of a cell: how many cases passed, or `.` if there are none. */
export function cell(results: readonly CaseResult[]): string {
  const counted = results.filter(({ outcome }) => outcome !== 'unreachable')
  if (counted.length === 0) return '.'
  const passed = counted.filter(({ outcome }) => outcome === 'passed').length
  return passed === counted.length ? String(passed) : `${passed}/${counted.length} ✗`
}

/** Renders the results as a table: a row per misbehaviour, a column per trigger. */
export function table(results: readonly CaseResult[]): string {
  const triggers = [...new Set(results.map((result) => result.case.trigger))]
  const groups = new Map<string, CaseResult[]>()
  for (const result of results) {
    const group = groupOf(result)
    const members = groups.get(group)
    if (members) members.push(result)
    else groups.set(group, [result])
  }
  const rows = [...groups].map(([group, members]) => [
    group,
    ...triggers.map((trigger) => cell(members.filter((one) => one.case.trigger === trigger))),
  ])
  const all = [['', ...triggers], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)))
      .join('  ')
  return all.map(line).join('\n')
}

/** The row of a case: what was made to misbehave, and how. Leaves out the numbers of replies and speeches. */
export function groupOf({ case: { group, step, fault, call } }: CaseResult): string {
  if (group !== undefined) return group
  const prefix = call?.realtime ? 'realtime · ' : ''
  if (step === undefined) return `${prefix}healthy`
  const word =
    typeof fault === 'object' ? (fault.fails ? 'rejects after the deadline' : 'is late') : (fault ?? '')
  return `${prefix}${step.replace(/ \d+$/, '')} · ${word}`
}
