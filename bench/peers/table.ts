import { columns, failuresOf, type Column, type Failure, type Run } from './case.ts'
import type { CaseInfo } from './messages.ts'
import { problemsOf, type Row } from './verdict.ts'

export const titles: Readonly<Record<Column, string>> = { plain: 'theirs', guarded: 'guarded', ours: 'ours' }

/** The text of a cell: how long the close took, and what failed. */
export function cellOf(run: Run | Error | undefined): string {
  if (run === undefined) return ''
  if (run instanceof Error) return 'no result'
  const took = run.settled === 'hung' ? '' : `${run.took} ms`
  return [took, ...failuresOf(run).map((failure) => wordsFor(failure, run))].filter(Boolean).join(', ')
}

function wordsFor(failure: Failure, { left, opened, exit, events }: Run): string {
  switch (failure) {
    case 'hangs':
      return 'HANGS'
    case 'socket left':
      return left.after6s === 1 ? 'SOCKET LEFT' : `${left.after6s} SOCKETS LEFT`
    case 'opens after close':
      return `${opened.afterEnd} opened after`
    case 'no event':
      return events === 0 ? failure : `${events} events`
    case 'process stays':
      return exit.by === 'force' ? failure : `${failure} ${(exit.after / 1_000).toFixed(1)} s`
    case 'process crashes':
      return 'PROCESS CRASHES'
    case 'slow':
    case 'rejects':
    case 'work goes on':
      return failure
    default:
      return failure satisfies never
  }
}

/** Notes on a case that make the comparison fair. */
export function notesOn({ unfair, ourFault }: CaseInfo): string[] {
  return [unfair, ourFault === undefined ? undefined : `ours: ${ourFault}`].filter(
    (note) => note !== undefined,
  )
}

/** One line per case, with the notes below. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    `${problemsOf(row).length > 0 ? '✗' : ' '} ${row.case.name}`,
    ...columns.map((column) => cellOf(row.runs[column])),
  ])
  const all = [['', ...columns.map((column) => titles[column])], ...lines]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const drawn = all.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const notes = rows.flatMap(({ case: one }) => notesOn(one).map((note) => `  ${one.name}: ${note}`))
  return [...drawn, ...(notes.length > 0 ? ['', 'To be fair:', ...notes] : [])].join('\n')
}
