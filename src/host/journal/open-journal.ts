import { OptionError } from '../../scope/index.ts'
import type { Journal } from './journal.ts'
import { migrate } from './sql/schema.ts'
import { sqlJournal } from './sql/sql-journal.ts'
import { SqliteDatabase, sqliteVersion, type SqliteOptions } from './sqlite/sqlite-database.ts'

/** Where the journal is: a folder, for one host. */
export type JournalPlace = string | SqliteOptions

/**
 * Opens a journal, and creates or upgrades its tables.
 *
 * ```ts
 * const journal = await openJournal('./data')
 * ```
 */
export async function openJournal(place: JournalPlace): Promise<Journal> {
  const options = typeof place === 'string' ? { folder: place } : place
  if (options.folder === '') throw new OptionError('the journal needs a folder')
  const db = await SqliteDatabase.open(options)
  try {
    await migrate(db, sqliteVersion)
    return sqlJournal(db)
  } catch (error) {
    await db.close()
    throw error
  }
}
