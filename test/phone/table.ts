import type { Outcome } from './run-case.ts'

/** One line per way to end a call: how many calls, how many of them ended well, and the median time to the report. */
export function table(outcomes: readonly Outcome[]): string {
  const groups = new Map<string, Outcome[]>()
  for (const outcome of outcomes) groups.set(outcome.group, [...(groups.get(outcome.group) ?? []), outcome])
  const rows = [...groups].map(([group, members]) => {
    const well = members.filter(
      ({ leaked, unreported, problems }) => leaked + unreported + problems.length === 0,
    )
    const took = members.map(({ took: each }) => each).toSorted((one, other) => one - other)
    const median = Math.round(took[took.length >> 1] ?? 0)
    return [group, String(members.length), String(well.length), median > 0 ? `${median} ms` : '']
  })
  const all = [['', 'calls', 'ended well', 'report after'], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)))
      .join('  ')
  return all.map((row) => line(row).trimEnd()).join('\n')
}
