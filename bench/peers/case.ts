/**
 * What a case of the table is, and what one run of it has shown.
 *
 * To add cases for a framework, make a folder with its name here:
 *
 * - `FOLDER/cases.ts` has `export const cases: readonly Case[]`. It is loaded only in the child processes, so it and what
 *   it imports may import the real packages, and are typed by `bench/peers/tsconfig.json`. In the guarded column
 *   `endwell/guard/install` is loaded before it.
 * - `FOLDER/vendors.ts` has `export const vendors: Vendors`, which live in the parent and import no real package. The
 *   vendor `by url` (`vendor-by-url.ts`) is there for all: the query of the address says how a connection is treated.
 * - A line in `frameworks.ts`, with the packages whose versions are stated.
 *
 * The runner calls `theirs` in the columns plain and guarded and `ours` in the third; each prepares a session up to the
 * moment at which its close is to be asked for, and gives the `Call`. Then the runner asks, waits, and counts at the
 * far side. `npm run peers -- --only FOLDER --filter NAME` runs one case; with `--json` it prints all that was seen.
 */
export type Column = 'plain' | 'guarded' | 'ours'

export const columns: readonly Column[] = ['plain', 'guarded', 'ours']

/** The ways in which an end can be bad. */
export type Failure =
  /** The close has not settled in time. */
  | 'hangs'
  /** The close settles, but only after 4 s. */
  | 'slow'
  /** The close rejects half-way. */
  | 'rejects'
  /** Not exactly one event says that the session is closed. */
  | 'no event'
  /** A connection is open 6 s after the close. */
  | 'socket left'
  /** A connection is opened after the close has settled, or after it was given up. */
  | 'opens after close'
  /** What the session had begun goes on when the close has settled. */
  | 'work goes on'
  /** The process does not exit by itself within 4.5 s. */
  | 'process stays'
  /** An error that nobody caught ends the process. */
  | 'process crashes'

export interface Case {
  /** In kebab-case, unique in its framework. */
  readonly name: string
  /** What is made to misbehave, in a few words. */
  readonly about: string
  /** What the plain run must show. If it does not, the case fails: no table is won by a broken harness. Empty: a control. */
  readonly shows: readonly Failure[]
  /** Said in the table where a fake does what a good vendor would not: it ignores its signal, say. */
  readonly unfair?: string
  /** What our column does instead, where there is no such fault with us. Said in the table, too. */
  readonly ourFault?: string
  /** Who is on the far side: a name of the framework's vendors; `by url` unless set. */
  readonly vendor?: string
  /** Whether it is one of the few of `--short`. */
  readonly short?: boolean
  /** A session of the framework: as it is if `stage.column` is `plain`, and the same with its guard if `guarded`. */
  readonly theirs: (stage: Stage) => Promise<Call>
  /** The same fault on a session of endwell. */
  readonly ours: (stage: Stage) => Promise<Call>
}

/** A session in the moment before its close. */
export interface Call {
  /** Asks for the close. What it returns is what is measured; called once. */
  close(): unknown
  /** Calls back for each event that says that the session is closed. Called before `close`. */
  onClosed(listener: () => void): void
  /** Whether something that the session had begun still goes on. Looked at when the close has settled. */
  goesOn?(): boolean
}

/** What a case has at hand in its process. */
export interface Stage {
  readonly column: Column
  /** The far side: `ws://127.0.0.1:port`. */
  readonly ws: string
  /** The same as `http://127.0.0.1:port`. */
  readonly http: string
  /** Resolves when the far side has seen at least so much. */
  seen(what: Sighting): Promise<void>
  /** Tells the far side to do something; resolves when it has. */
  far(order: Order): Promise<void>
}

export interface Sighting {
  /** Connections there ever were, requests included. */
  readonly connections?: number
  /** Connections now. */
  readonly open?: number
  /** Messages that came over WebSockets. */
  readonly messages?: number
}

export type Order =
  /** Resets all WebSockets. */
  | { readonly do: 'drop' }
  /** Closes all WebSockets by a frame. */
  | { readonly do: 'hang up'; readonly code: number; readonly reason: string }
  /** Whatever the vendor has under this name. */
  | { readonly do: 'vendor'; readonly order: string }

/** What one run has shown. */
export interface Run {
  readonly column: Column
  /** How the close ended; `hung` if it did not within the patience of the runner, `crashed` if the process ended before. */
  readonly settled: 'resolved' | 'rejected' | 'hung' | 'crashed'
  /** From the ask to the settling, in milliseconds; how long was waited if it hung. */
  readonly took: number
  /** Events that said that the session is closed. */
  readonly events: number
  /** Connections that were open 1 s and 6 s after the close had settled, or was given up. */
  readonly left: { readonly after1s: number; readonly after6s: number }
  /** Connections that were opened after the ask, and after the end of the close. */
  readonly opened: { readonly afterAsk: number; readonly afterEnd: number }
  readonly goesOn: boolean
  readonly exit: { readonly by: 'itself' | 'force' | 'crash'; readonly after: number }
  /** What it rejected with, crashed with, or said in its report. */
  readonly says?: string
}

/** How the run was bad, by the same measure in every column. */
export function failuresOf(run: Run): Failure[] {
  const failures: Failure[] = []
  if (run.settled === 'hung') failures.push('hangs')
  else if (run.took > SLOW) failures.push('slow')
  if (run.settled === 'rejected') failures.push('rejects')
  if (run.events !== 1) failures.push('no event')
  if (run.left.after6s > 0) failures.push('socket left')
  if (run.opened.afterEnd > 0) failures.push('opens after close')
  if (run.goesOn) failures.push('work goes on')
  if (run.exit.by === 'crash') failures.push('process crashes')
  else if (run.exit.by === 'force' || run.exit.after > EXITS_WITHIN) failures.push('process stays')
  return failures
}

/** More than any deadline that is set here. */
const SLOW = 4_000

/** How long a process may live on after the close, when nothing but what the session left could keep it. */
const EXITS_WITHIN = 4_500
