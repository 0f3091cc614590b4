import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { checkJournal, type JournalCheck } from '../../host/index.ts'
import { EndwellError } from '../../scope/index.ts'
import { ok, runCheck, skipped, wrong, type Finding } from './finding.ts'

/** The least free space in the data folder, in bytes: it has the spool even if the journal is elsewhere. */
const MIN_SPACE = 200 * 2 ** 20
/** The longest difference of the clocks, in milliseconds. Hosts rely on the clock of the database; people compare logs. */
const MAX_SKEW = 2_000

/** Checks the data folder, the journal in it or in the database, and the clock. */
export async function checkStorage(data: string, databaseUrl: string | undefined): Promise<Finding[]> {
  const folder = await runCheck('data folder', () => checkFolder(data))
  const place = databaseUrl ?? (existsSync(join(data, 'endwell.db')) ? data : undefined)
  let found: JournalCheck | undefined
  const journal = await runCheck('journal', async () => {
    if (place === undefined) return skipped('the first start creates it in the data folder, with SQLite')
    try {
      found = await checkJournal(place)
    } catch (error) {
      if (!(error instanceof EndwellError) || error.code !== 'JOURNAL_IN_USE') throw error
      return ok('a host uses it: only one process can open it')
    }
    return ok(`${found.database} can be written to, ${tablesText(found)}`)
  })
  const clock = await runCheck('clock', async () => {
    if (!found || databaseUrl === undefined) return skipped('no database on another machine to compare with')
    const { ahead } = found
    const text = `${Math.abs(ahead)} ms ${ahead < 0 ? 'ahead of' : 'behind'} the database`
    return Math.abs(ahead) <= MAX_SKEW ? ok(text) : wrong(`${text}: synchronise the clocks with NTP`)
  })
  return [folder, journal, clock]
}

async function checkFolder(data: string): Promise<Omit<Finding, 'name'>> {
  const folder = resolve(data)
  const existing = nearest(folder)
  try {
    await rmdir(await mkdtemp(join(existing, 'endwell-doctor-')))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return wrong(
      `${existing} cannot be written to (${code}): check who owns it, or choose another with --data`,
    )
  }
  const { bavail, bsize } = await statfs(existing)
  const free = bavail * bsize
  const text = `${folder}, ${(free / 2 ** 30).toFixed(1)} GB free`
  return free >= MIN_SPACE ? ok(text) : wrong(`${text}: free some space`)
}

/** The folder itself, or the parent that exists. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))
}

function tablesText({ tables, newestTables }: JournalCheck): string {
  if (tables === 0) return 'and has no tables yet: the first start creates them'
  return tables === newestTables
    ? `and its tables have version ${tables}`
    : `and the next start upgrades its tables from version ${tables} to ${newestTables}`
}
