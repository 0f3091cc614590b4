import type { Exit } from './alone.ts'
import type { Outcome } from './run-case.ts'

export interface Row {
  readonly name: string
  readonly outcome?: Outcome
  /** Why there is no outcome. */
  readonly error?: string
}

/** One line a case: how long the close took, what was left, what was opened after, and how the process ended. */
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
  const all = [['', 'close', 'left', 'opened after', 'process ended by'], ...lines]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all.map((row) => row.map((text, column) => text.padEnd(widths[column]!)).join('  ')).join('\n')
}
