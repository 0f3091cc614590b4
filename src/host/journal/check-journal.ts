import { systemClock } from '../../scope/index.ts'
import { openDatabase, type JournalPlace } from './open-journal.ts'
import { number, text } from './sql/database.ts'
import { newestTables, upgrade } from './sql/schema.ts'

/** What `checkJournal` has found. */
export interface JournalCheck {
  /** Without a password. */
  readonly where: string
  /** `Postgres 17.2`. */
  readonly database: string
  /** The version of the tables, 0 if there are none yet. */
  readonly tables: number
  /** The version that a start upgrades them to. */
  readonly newestTables: number
  /** By how many milliseconds the clock of the database is ahead of the clock of this machine. */
  readonly ahead: number
}

class RolledBack extends Error {}

/**
 * Checks that a journal can be used: creates or upgrades its tables and writes to them, and rolls all of it back. Rejects
 * with the error that `openJournal`, or a write, would reject with.
 */
export async function checkJournal(place: JournalPlace): Promise<JournalCheck> {
  const { db, version, product } = await openDatabase(place)
  try {
    const ask = product === 'SQLite' ? 'sqlite_version()' : `current_setting('server_version')`
    // Once before: the first statement includes the time to connect.
    const [server] = await db.query(`select ${ask} as version`)
    const before = systemClock.date()
    const [clock] = await db.query('select {now} as now')
    const now = (before + systemClock.date()) / 2
    let tables = 0
    await db
      .transaction(async (query) => {
        tables = await upgrade(db, version, query)
        await query(
          `insert into {hosts} (id, name, version, capacity, started_at, lease_until) values ($1, '', '', 0, 0, 0)`,
          'a check of the journal',
        )
        throw new RolledBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error
      })
    const [release = ''] = text(server!, 'version').split(' ')
    const ahead = Math.round(number(clock!, 'now') - now)
    return { where: db.where, database: `${product} ${release}`, tables, newestTables, ahead }
  } finally {
    await db.close()
  }
}
