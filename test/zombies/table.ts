import type { Exit } from './run-in-process.ts'
import type { Outcome } from './run-case.ts'

export interface Row {
  readonly name: string
  readonly outcome?: Outcome
  /** Set if there is no outcome. */
  readonly error?: string
}

/** One line per case: the duration of the close, the connections left open or opened later, and how the process ended. */
export function table(rows: readonly Row[], exits: readonly Exit[]): string {
  const lines = rows
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, outcome, error }) => {
      if (!outcome) return [name, '', '', '', `✗ ${error}`]
      const exit = exits.find((each) => each.name === name)
      return [
        name,
        `${Math.round(outcome.took)} ms`,
        String(outcome.leaked),
        String(outcome.openedAfterClose()),
        exit ? `${exit.by}, ${Math.round(exit.took)} ms` : '',
      ]
    })
  const all = [['', 'close', 'left open', 'opened after', 'process ended by'], ...lines]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all.map((row) => row.map((text, column) => text.padEnd(widths[column]!)).join('  ')).join('\n')
}
