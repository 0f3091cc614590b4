import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { JournalInUseError, JournalUnavailableError } from '../errors.ts'
import type { Wake, WakeListener } from '../journal.ts'
import { Listeners } from '../listeners.ts'
import {
  inDialect,
  number,
  storable,
  type Database,
  type Query,
  type Row,
  type Value,
} from '../sql/database.ts'
import type { VersionStore } from '../sql/schema.ts'
import { openDriver, sqliteCode, type SqliteDriver } from './driver.ts'

export interface SqliteOptions {
  /** The folder of the database. Created if it does not exist. */
  readonly folder: string
  /** Default: `node:sqlite` if this Node has it, otherwise the package `libsql`. */
  readonly driver?: 'node:sqlite' | 'libsql'
  /** How long to wait for another process to let go of the folder, in milliseconds. Default: 2 s. */
  readonly busyTimeout?: number
}

/** A statement whose values are bound in the order in which the text names them. */
interface Prepared {
  readonly run: (values: readonly Value[]) => readonly Row[]
  readonly order: readonly number[]
}

const words = {
  schema: '',
  now: `cast(round(unixepoch('subsec') * 1000) as integer)`,
  // One connection: nothing else can change a row.
  lock: '',
  lockFree: '',
  list: (value: string) => `(select value from json_each(${value}))`,
  field: (path: readonly string[]) => `json_extract(summary, '$.${path.join('.')}')`,
}

export const sqliteVersion: VersionStore = {
  async read(query) {
    const tables = await query(`select 1 from sqlite_master where type = 'table' and name = 'tables'`)
    const [row] = tables.length > 0 ? await query('select version from {tables}') : []
    return row ? number(row, 'version') : 0
  },
  async begin() {},
}

/**
 * A SQLite database with one connection, which locks its file against other processes. Statements are synchronous; a
 * transaction is not, so that others wait for its end.
 */
export class SqliteDatabase implements Database {
  readonly where: string
  readonly words = words
  readonly #driver: SqliteDriver
  readonly #prepared = new Map<string, Prepared>()
  readonly #listeners = new Listeners()
  /** Settles when the transactions before the next one have ended. */
  #last: Promise<unknown> = Promise.resolve()
  #closed: Promise<void> | undefined

  private constructor(where: string, driver: SqliteDriver) {
    this.where = where
    this.#driver = driver
  }

  static async open({ folder, driver, busyTimeout = 2_000 }: SqliteOptions): Promise<SqliteDatabase> {
    const where = join(resolve(folder), 'endwell.db')
    let opened: SqliteDriver | undefined
    try {
      mkdirSync(folder, { recursive: true })
      opened = await openDriver(where, driver)
      opened.exec(`pragma busy_timeout = ${Math.round(busyTimeout)}`)
      // Before anything is read: it keeps other processes out from the first read on.
      opened.exec('pragma locking_mode = exclusive')
      opened.exec('pragma journal_mode = wal')
      opened.exec('pragma synchronous = full')
      opened.exec('pragma foreign_keys = on')
      opened.exec('begin immediate; commit')
      return new SqliteDatabase(where, opened)
    } catch (error) {
      opened?.close()
      throw failure(where, error)
    }
  }

  readonly query: Query = (sql, ...values) => this.#next(async () => this.#run(sql, values))

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#next(async () => {
      this.#exec('begin immediate')
      try {
        const result = await work(async (sql, ...values) => this.#run(sql, values))
        this.#exec('commit')
        return result
      } catch (error) {
        this.#rollBack()
        throw error
      }
    })
  }

  /** Runs `work` when all work before it has ended. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new JournalUnavailableError(this.where, 'it is closed'))
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  #run(sql: string, values: readonly (Value | undefined)[]): readonly Row[] {
    try {
      const { run, order } = this.#statement(sql)
      return run(order.map((index) => storable(values[index - 1])))
    } catch (error) {
      throw failure(this.where, error)
    }
  }

  #statement(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const order: number[] = []
    const text = inDialect(sql, words).replaceAll(/\$(\d+)/g, (_, index: string) => {
      order.push(Number(index))
      return '?'
    })
    const prepared = { run: this.#driver.prepare(text), order }
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #exec(sql: string): void {
    try {
      this.#driver.exec(sql)
    } catch (error) {
      throw failure(this.where, error)
    }
  }

  #rollBack(): void {
    try {
      this.#driver.exec('rollback')
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
  }

  wake(what: Wake, host?: string): void {
    this.#listeners.notify(what, host)
  }

  wakeHere(what: Wake): void {
    this.#listeners.notify(what)
  }

  onWake(listener: WakeListener): () => void {
    return this.#listeners.add(listener)
  }

  close(): Promise<void> {
    this.#closed ??= this.#last.then(() => this.#close())
    return this.#closed
  }

  #close(): void {
    try {
      // libsql keeps the connection until its statements have been collected. This lets go of the file before.
      this.#driver.exec('pragma journal_mode = delete')
      this.#driver.exec('pragma locking_mode = normal')
      this.#driver.exec('begin immediate; commit')
    } catch {
      // The disk is full or gone: the next process recovers the log.
    }
    this.#prepared.clear()
    this.#driver.close()
  }
}

const BUSY = 5
/** Result codes of mistakes in a statement, or in its values. */
const mistakes: ReadonlySet<number | undefined> = new Set([undefined, 1, 19, 20, 21, 25])
const hints: Readonly<Record<number, string>> = {
  8: 'it cannot be written to. Check who owns the folder and its files',
  13: 'the disk is full. Free some space',
  14: 'it cannot be opened. Check the folder and its permissions',
  26: 'the file is not a database. Restore it from a backup, or choose another folder',
  11: 'the file is damaged. Restore it from a backup, or choose another folder',
}

/** The error that the journal rejects with. Mistakes of the journal stay as they are. */
function failure(where: string, error: unknown): unknown {
  const system = error as NodeJS.ErrnoException
  if (system.syscall !== undefined) return new JournalUnavailableError(where, system.message, error)
  const code = sqliteCode(error)
  if (code === BUSY) return new JournalInUseError(where, error)
  if (code === undefined || mistakes.has(code)) return error
  return new JournalUnavailableError(where, hints[code] ?? system.message, error)
}
