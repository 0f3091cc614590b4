/**
 * The columns of the table: the framework as it is, the framework with the guard, and endwell.
 *
 * To add cases for a framework, create a folder with its name:
 *
 * - `FOLDER/cases.ts` has `export const cases: readonly Case[]`. It is loaded only in the child processes, so it may import
 *   the real packages. Its types are checked with `bench/peers/tsconfig.json`. In the guarded column,
 *   `endwell/guard/install` is loaded before it.
 * - `FOLDER/vendors.ts` has `export const vendors: Vendors`, which run in the parent and must not import the real packages.
 *   The vendor `by url` (`vendor-by-url.ts`) is available to all: the query of the URL says how to treat a connection.
 * - `frameworks.ts` gets an entry with the packages whose versions are printed.
 *
 * The runner calls `theirs` for the columns plain and guarded, and `ours` for the third. Each prepares a session up to its
 * close, and returns the `Call`. Then the runner closes it, waits, and counts connections at the far side.
 * `npm run peers -- --only FOLDER --filter NAME` runs one case; with `--json` it prints everything it observed.
 */
export type Column = 'plain' | 'guarded' | 'ours'

export const columns: readonly Column[] = ['plain', 'guarded', 'ours']

/** What can go wrong with a close. */
export type Failure =
  /** The close has not settled in time. */
  | 'hangs'
  /** The close settles, but only after 4 s. */
  | 'slow'
  /** The close rejects. */
  | 'rejects'
  /** There is not exactly one event for the end of the session. */
  | 'no event'
  /** A connection is still open 6 s after the close. */
  | 'socket left'
  /** A connection is opened after the close has settled, or after the runner stopped waiting. */
  | 'opens after close'
  /** Work that the session had begun goes on after the close has settled. */
  | 'work goes on'
  /** The process does not exit on its own within 4.5 s. */
  | 'process stays'
  /** An uncaught error ends the process. */
  | 'process crashes'

export interface Case {
  /** In kebab-case, unique within its framework. */
  readonly name: string
  /** What misbehaves, in a few words. */
  readonly about: string
  /** Failures that the plain run must show; otherwise the harness is broken and the case fails. Empty for a control. */
  readonly shows: readonly Failure[]
  /** A note for the table if a fake misbehaves in a way that a good vendor's client would not. */
  readonly unfair?: string
  /** A note for the table if our column uses a different fault, because endwell has no such step. */
  readonly ourFault?: string
  /** The far side: one of the framework's vendors. Default: `by url`. */
  readonly vendor?: string
  /** Whether `--short` runs the case. */
  readonly short?: boolean
  /** A session of the framework, with a guard if `context.column` is `guarded`. */
  readonly theirs: (context: CaseContext) => Promise<Call>
  /** A session of endwell with the same fault. */
  readonly ours: (context: CaseContext) => Promise<Call>
}

/** A session right before its close. */
export interface Call {
  /** Closes the session. The returned promise is measured. Called once. */
  close(): unknown
  /** The listener is called for each event that reports the end of the session. Called before `close`. */
  onClosed(listener: () => void): void
  /** Whether work that the session had begun is still going on. Called when the close has settled. */
  goesOn?(): boolean
}

/** What a case can use in its process. */
export interface CaseContext {
  readonly column: Column
  /** The far side: `ws://127.0.0.1:port`. */
  readonly ws: string
  /** The same as `http://127.0.0.1:port`. */
  readonly http: string
  /** Resolves when the far side has seen at least these numbers. */
  seen(what: Seen): Promise<void>
  /** Sends an order to the far side. Resolves when it has been carried out. */
  far(order: Order): Promise<void>
}

export interface Seen {
  /** All connections so far, including requests. */
  readonly connections?: number
  /** Open connections. */
  readonly open?: number
  /** Messages received over WebSockets. */
  readonly messages?: number
}

export type Order =
  /** Reset all WebSockets. */
  | { readonly do: 'drop' }
  /** Close all WebSockets with a close frame. */
  | { readonly do: 'hang up'; readonly code: number; readonly reason: string }
  /** Carry out an order that the vendor defines. */
  | { readonly do: 'vendor'; readonly order: string }

/** The result of one run. */
export interface Run {
  readonly column: Column
  /** How the close ended: `hung` if it did not settle in time, `crashed` if the process ended before. */
  readonly settled: 'resolved' | 'rejected' | 'hung' | 'crashed'
  /** Milliseconds from the close until it settled or, if it hung, until the runner stopped waiting. */
  readonly took: number
  /** How many events reported the end of the session. */
  readonly events: number
  /** How many connections were open 1 s and 6 s after the close had settled, or after the runner stopped waiting. */
  readonly left: { readonly after1s: number; readonly after6s: number }
  /** How many connections were opened after the close began, and after it ended. */
  readonly opened: { readonly afterAsk: number; readonly afterEnd: number }
  readonly goesOn: boolean
  readonly exit: { readonly by: 'itself' | 'force' | 'crash'; readonly after: number }
  /** The error of the close or of the crash, or a summary of the report. */
  readonly says?: string
}

/** The failures of a run, by the same criteria in every column. */
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

/** More than any deadline in these cases. */
const SLOW = 4_000

/** How long the process may take to exit after the close, when only leftovers of the session can keep it alive. */
const EXITS_WITHIN = 4_500
