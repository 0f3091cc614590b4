import { columns, failuresOf, type Column, type Run } from './case.ts'
import type { Framework } from './frameworks.ts'
import type { CaseInfo } from './messages.ts'

/** A row of the table: the result of one case in each column, or an error if the harness failed. */
export interface Row {
  readonly framework: Framework
  readonly case: CaseInfo
  readonly runs: Readonly<Partial<Record<Column, Run | Error>>>
}

/** The problems of a row, one line each: failures in the columns guarded and ours, and failures of the harness. */
export function problemsOf({ case: one, runs }: Row): string[] {
  return columns.flatMap((column) => {
    const run = runs[column]
    if (run === undefined) return []
    if (run instanceof Error) return [`${column}: ${run.message}`]
    const failures = failuresOf(run)
    if (column !== 'plain') return failures.map((failure) => `${column}: ${failure}`)
    return one.shows
      .filter((failure) => !failures.includes(failure))
      .map((failure) => `plain: does not show the expected failure: ${failure}`)
  })
}

export interface Summary {
  readonly cases: number
  readonly plain: { readonly hung: number; readonly socketsLeft: number }
  readonly guarded: { readonly hung: number; readonly socketsLeft: number; readonly openedAfterClose: number }
  readonly ours: { readonly hung: number; readonly socketsLeft: number }
}

export function summaryOf(rows: readonly Row[]): Summary {
  const of = (column: Column): Run[] =>
    rows.flatMap(({ runs: { [column]: run } }) => (run === undefined || run instanceof Error ? [] : [run]))
  const sum = (column: Column, count: (run: Run) => number): number =>
    of(column).reduce((total, run) => total + count(run), 0)
  const ends = (column: Column): { hung: number; socketsLeft: number } => ({
    hung: sum(column, ({ settled }) => (settled === 'hung' ? 1 : 0)),
    socketsLeft: sum(column, ({ left }) => left.after6s),
  })
  const openedAfterClose = sum('guarded', ({ opened }) => opened.afterEnd)
  return {
    cases: rows.length,
    plain: ends('plain'),
    guarded: { ...ends('guarded'), openedAfterClose },
    ours: ends('ours'),
  }
}
