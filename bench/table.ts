import type { Bench, Pair } from './bench.ts'
import type { Medians } from './rounds.ts'
import type { Judged, Verdict } from './verdict.ts'

/** Formats the result of a benchmark for a terminal. The last line is a summary. */
export function table(
  bench: Bench,
  medians: Medians,
  verdict: Verdict,
  versions: Readonly<Record<string, string>>,
): string {
  const tables = bench.pairs
    ? bench.pairs.flatMap((pair) => [...pairTable(bench, pair, medians, verdict, versions), ''])
    : [...contestantTable(bench, medians, versions), '']
  return [
    bench.summary,
    '',
    ...tables,
    ...bench.notes,
    '',
    ...verdict.marks.map(line),
    '',
    summary(verdict.marks),
  ].join('\n')
}

/** A line per contestant, a column per figure. */
function contestantTable(
  bench: Bench,
  medians: Medians,
  versions: Readonly<Record<string, string>>,
): string[] {
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
  return aligned(rows)
}

/** A line per figure: both contestants, and how many times less endwell takes. */
function pairTable(
  bench: Bench,
  { title, ours, theirs }: Pair,
  medians: Medians,
  { ratios }: Verdict,
  versions: Readonly<Record<string, string>>,
): string[] {
  const reasons: string[] = []
  const cell = (contestant: string, figure: string, digits: number): string => {
    const value = medians[contestant]?.[figure]
    const reason = bench.absent?.[contestant]?.[figure]
    if (value !== undefined || reason === undefined) return number(value, digits)
    reasons.push(`n/a  ${bench.figures[figure]!.title}: ${reason}`)
    return 'n/a'
  }
  const rows = Object.entries(bench.figures).map(([figure, { title: what, unit, digits }]) => [
    `${what}, ${unit}`,
    cell(ours, figure, digits),
    cell(theirs, figure, digits),
    times(ratios[figure]?.[theirs]),
  ])
  const named = (contestant: string): string => [contestant, versions[contestant]].filter(Boolean).join(' ')
  return [...aligned([[title, named(ours), named(theirs), 'endwell takes'], ...rows]), ...reasons]
}

/** `2,780 times less`, or `1.4 times more`. */
function times(ratio: number | undefined): string {
  if (ratio === undefined) return '–'
  const factor = ratio >= 1 ? ratio : 1 / ratio
  return `${number(factor, factor < 10 ? 1 : 0)} times ${ratio >= 1 ? 'less' : 'more'}`
}

/** Pads the cells of a table: the first column to the right, the others to the left. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}

export function number(value: number | undefined, digits: number): string {
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
