import type { Bench } from './bench.ts'
import type { Medians } from './rounds.ts'
import type { Judged, Verdict } from './verdict.ts'

/** Formats the result of a benchmark for a terminal. The last line is a summary. */
export function table(
  bench: Bench,
  medians: Medians,
  verdict: Verdict,
  versions: Readonly<Record<string, string>>,
): string {
  const figures = Object.entries(bench.figures)
  const row = (contestant: string): string[] => {
    const version = versions[contestant]
    const numbers = figures.map(([figure, { digits }]) => number(medians[contestant]?.[figure], digits))
    return [version ? `${contestant} ${version}` : contestant, ...numbers]
  }
  const rows = [
    ['', ...figures.map(([, { title }]) => title)],
    ['', ...figures.map(([, { unit }]) => unit)],
    ...Object.keys(bench.contestants).map(row),
  ]
  return [
    bench.summary,
    '',
    ...aligned(rows),
    '',
    ...bench.notes,
    '',
    ...verdict.marks.map(line),
    '',
    summary(verdict.marks),
  ].join('\n')
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}

function number(value: number | undefined, digits: number): string {
  if (value === undefined) return '–'
  // Adding 0 turns -0 into 0.
  const rounded = Number(value.toFixed(digits)) + 0
  return rounded.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function line({ wanted, got, ok }: Judged): string {
  return `${ok ? 'met   ' : 'missed'}  ${wanted} (measured: ${got})`
}

function summary(marks: readonly Judged[]): string {
  const missed = marks.filter(({ ok }) => !ok)
  if (missed.length === 0) return `ok: all ${marks.length} targets met`
  return `not ok: ${missed.length} of ${marks.length} targets missed`
}
