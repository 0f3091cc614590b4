import { OptionError } from '../../scope/index.ts'
import type { Journal } from './journal.ts'
import { PostgresDatabase, postgresVersion, type PostgresOptions } from './postgres/postgres-database.ts'
import type { Database } from './sql/database.ts'
import { migrate, type VersionStore } from './sql/schema.ts'
import { sqlJournal } from './sql/sql-journal.ts'
import { SqliteDatabase, sqliteVersion, type SqliteOptions } from './sqlite/sqlite-database.ts'

/** Where the journal is: in a folder, for one host, or in Postgres, for many. */
export type JournalPlace = string | SqliteOptions | PostgresOptions

/**
 * Opens a journal, and creates or upgrades its tables. Rejects with `JournalUnavailableError` if the database cannot be
 * reached.
 *
 * ```ts
 * const journal = await openJournal('./data')
 * const shared = await openJournal('postgres://user:password@db.internal/calls')
 * ```
 */
export async function openJournal(place: JournalPlace): Promise<Journal> {
  const { db, version } = await openDatabase(place)
  try {
    await migrate(db, version)
    return sqlJournal(db)
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Opens the database of a journal, whatever tables it has. */
export async function openDatabase(place: JournalPlace): Promise<JournalDatabase> {
  const options = typeof place === 'string' ? optionsOf(place) : place
  return 'url' in options
    ? {
        db: await PostgresDatabase.open(options),
        version: postgresVersion(options.schema),
        product: 'Postgres',
      }
    : { db: await SqliteDatabase.open(options), version: sqliteVersion, product: 'SQLite' }
}

export interface JournalDatabase {
  readonly db: Database
  readonly version: VersionStore
  readonly product: 'SQLite' | 'Postgres'
}

function optionsOf(place: string): SqliteOptions | PostgresOptions {
  if (/^postgres(ql)?:\/\//.test(place)) return { url: place }
  const [scheme] = /^\w+:\/\//.exec(place) ?? []
  if (scheme !== undefined)
    throw new OptionError(`the journal cannot be at ${scheme}…: use a folder, or postgres://…`)
  if (place.trim() === '') throw new OptionError('the journal needs a folder, or postgres://…')
  return { folder: place }
}
