import { createRequire } from 'node:module'
import { JournalDriverError } from '../errors.ts'
import type { Row, Value } from '../sql/database.ts'

/** What the journal uses of a SQLite driver. All of it is synchronous. */
export interface SqliteDriver {
  exec(sql: string): void
  /** Prepares a statement that returns its rows. */
  prepare(sql: string): (values: readonly Value[]) => readonly Row[]
  close(): void
}

export type SqliteName = 'node:sqlite' | 'libsql'

/** The part of `node:sqlite` and of `libsql` that is the same. */
interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): { all(...values: Value[]): unknown }
  close(): unknown
}

type Open = (path: string) => Connection

/** Opens a database with `node:sqlite`, or with the package `libsql` where Node has no SQLite. */
export async function openDriver(path: string, name?: SqliteName): Promise<SqliteDriver> {
  const open = (name === 'libsql' ? undefined : nodeSqlite()) ?? (await libsql())
  const connection = open(path)
  return {
    exec: (sql) => void connection.exec(sql),
    prepare: (sql) => {
      const statement = connection.prepare(sql)
      return (values) => statement.all(...values) as readonly Row[]
    },
    close: () => void connection.close(),
  }
}

/** Whether this Node has SQLite: from 22.13 on, without a flag. */
export const hasNodeSqlite = (): boolean => nodeSqlite() !== undefined

function nodeSqlite(): Open | undefined {
  interface Module {
    readonly DatabaseSync: new (path: string) => Connection
  }
  try {
    // Not `import`: the types of Node 20 do not have this module.
    const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite') as Module
    return (path) => new DatabaseSync(path)
  } catch {
    return undefined
  }
}

async function libsql(): Promise<Open> {
  try {
    const { default: Database } = await import('libsql')
    return (path) => new Database(path)
  } catch (error) {
    throw new JournalDriverError('libsql', `Node ${process.versions.node} has no SQLite of its own`, error)
  }
}

/** The primary result code of SQLite, such as 13 for a full disk. Undefined for errors of another kind. */
export function sqliteCode(error: unknown): number | undefined {
  const { errcode, rawCode, message } = error as { errcode?: unknown; rawCode?: unknown; message?: unknown }
  const code = typeof errcode === 'number' ? errcode : rawCode
  if (typeof code === 'number') return code & 0xff
  // libsql has no code for a database that cannot be opened.
  const [, opening] = /^ConnectionFailed\(.*: (\d+)"\)$/.exec(String(message)) ?? []
  return opening === undefined ? undefined : Number(opening) & 0xff
}
