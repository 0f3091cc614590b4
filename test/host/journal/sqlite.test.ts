import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { openJournal } from '../../../src/host/index.ts'
import { hasNodeSqlite, type SqliteName } from '../../../src/host/journal/sqlite/driver.ts'
import { conform } from './conform.ts'

// In memory where possible: these checks write often, and each write waits for the disk.
const folders = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const drivers: readonly SqliteName[] = hasNodeSqlite() ? ['node:sqlite', 'libsql'] : ['libsql']

describe.each(drivers)('[HO13] [HO15] the journal in SQLite, with %s', (driver) => {
  conform(async () => {
    const folder = await mkdtemp(join(folders, 'endwell-journal-'))
    const journal = await openJournal({ folder, driver })
    return {
      journal,
      end: async () => {
        await journal.close()
        await rm(folder, { recursive: true })
      },
    }
  })
})
