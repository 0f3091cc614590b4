import type { Wake, WakeListener } from '../journal.ts'

export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

/** Runs one statement. Its values are `$1`, `$2`, … in the text; `undefined` is null. */
export type Query = (sql: string, ...values: readonly (Value | undefined)[]) => Promise<readonly Row[]>

/** The connection to one database. Every statement of the journal is written once, for all databases, with {@link Words}. */
export interface Database {
  /** What messages call the database. Contains no password. */
  readonly where: string
  readonly words: Words
  /** Runs one statement in a transaction of its own. */
  readonly query: Query
  /** Commits once `work` resolves, and rolls back if it rejects. `work` may run again after a deadlock. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Calls the listeners of every process that uses the database, if possible. `host` has orders. */
  wake(what: Wake, host?: string): void
  /** Calls the listeners of this process. */
  wakeHere(what: Wake): void
  onWake(listener: WakeListener): () => void
  close(): Promise<void>
}

/** The words in which databases differ. A statement names them in braces: `update {calls} set orphaned_at = {now} …`. */
export interface Words {
  /** Precedes the name of a table: `"endwell".`. */
  readonly schema: string
  /** The time of the database in milliseconds since the epoch. The same throughout a statement. */
  readonly now: string
  /** Locks the selected rows, and waits for those that are locked. */
  readonly lock: string
  /** Locks the selected rows, and leaves out those that are locked. */
  readonly lockFree: string
  /** The texts of a JSON array, as a subquery. `value` is a placeholder such as `$1`. */
  readonly list: (value: string) => string
  /** A field of the column `summary`, by its path: `cost.total`. Null if it has none. A text in some databases. */
  readonly field: (path: readonly string[]) => string
}

/** Replaces the words in braces: the names of tables, `{now}`, `{lock}`, `{lock free}`, `{list $1}`, `{field lived}`. */
export function inDialect(sql: string, { schema, now, lock, lockFree, list, field }: Words): string {
  return sql.replaceAll(/\{(list |field )?([^}]+)\}/g, (_, kind: string | undefined, word: string) => {
    if (kind === 'list ') return list(word)
    if (kind === 'field ') return field(word.split('.'))
    if (word === 'now') return now
    if (word === 'lock') return lock
    if (word === 'lock free') return lockFree
    return `${schema}${word}`
  })
}

/**
 * A value as every database accepts it. Postgres cannot store NUL characters in a text, and SQLite's functions end at
 * them. JSON has none, because it escapes them.
 */
export function storable(value: Value | undefined): Value {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return typeof value === 'number' ? Math.round(value) : (value ?? null)
}

/** Ids as the value of `{list $1}`. */
export const listOf = (ids: readonly string[]): string => JSON.stringify(ids.map(storable))

/** The placeholders of `count` rows with `width` values each: `($1, $2), ($3, $4)`. */
export function placeholders(count: number, width: number): string {
  const row = (first: number): string =>
    `(${Array.from({ length: width }, (_, index) => `$${first + index}`).join(', ')})`
  return Array.from({ length: count }, (_, index) => row(index * width + 1)).join(', ')
}

export const text = (row: Row, column: string): string => String(row[column])
export const number = (row: Row, column: string): number => Number(row[column])
export const optionalText = (row: Row, column: string): string | undefined => {
  const value = row[column]
  return value === null || value === undefined ? undefined : String(value)
}
export const optionalNumber = (row: Row, column: string): number | undefined => {
  const value = row[column]
  return value === null || value === undefined ? undefined : Number(value)
}
