import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from '../../../src/host/index.ts'
import { sqlJournal } from '../../../src/host/journal/sql/sql-journal.ts'
import { SqliteDatabase } from '../../../src/host/journal/sqlite/sqlite-database.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import { compiled } from '../../compiled.ts'
import { Program } from '../../program.ts'

const { appends, closes, message, newCall, opens, write } = samples

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endwell-journal-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The numbers of the calls that a program has printed on whole lines. */
const acknowledged = ({ out }: Program): number[] => out.split('\n').slice(0, -1).map(Number)

describe('a journal in SQLite', () => {
  it('[HO12] has every acknowledged write after its process was killed, and each batch as a whole', async () => {
    const known = new Set<number>()
    for (const count of [1, 20, 60]) {
      const writer = new Program([compiled('journal-writer'), folder])
      await writer.until(() => acknowledged(writer).length >= count || writer.code !== undefined)
      writer.signal('SIGKILL')
      await writer.ended()
      expect(writer.errors).toBe('')
      for (const index of acknowledged(writer)) known.add(index)
    }
    const journal = await openJournal(folder)
    const calls = await journal.list({ limit: 10_000 })
    const ids = new Set(calls.map(({ id }) => id))
    expect([...known].filter((index) => !ids.has(`c${index}`))).toEqual([])
    for (const { id, state } of calls) {
      expect(state).toBe('closed')
      expect(await journal.entries(id)).toHaveLength(2)
    }
    expect((await journal.workCounts()).waiting).toBe(calls.length)
    await journal.close()
  })

  it('[HO14] is refused while another process uses its folder, and not once that was killed', async () => {
    const writer = new Program([compiled('journal-writer'), folder])
    await writer.prints(/^0$/m)
    await expect(openJournal({ folder, busyTimeout: 0 })).rejects.toMatchObject({
      code: 'JOURNAL_IN_USE',
      message: expect.stringContaining(folder) as string,
    })
    writer.signal('SIGKILL')
    await writer.ended()
    const journal = await openJournal({ folder, busyTimeout: 0 })
    await expect(openJournal({ folder, busyTimeout: 0 })).rejects.toMatchObject({ code: 'JOURNAL_IN_USE' })
    await journal.close()
    // A closed journal lets go of its folder at once.
    await (await openJournal({ folder, busyTimeout: 0 })).close()
  })

  it('[HO12] rejects writes while the disk is full, loses nothing, and works again afterwards', async () => {
    const journal = await openJournal(folder)
    await journal.close()
    const db = await SqliteDatabase.open({ folder })
    const full = sqlJournal(db)
    await write(full, opens(newCall('c1')))
    const [{ page_count: pages }] = (await db.query('pragma page_count')) as [{ page_count: number }]
    await db.query(`pragma max_page_count = ${pages}`)
    const long = Array.from({ length: 50 }, (_, index) => message(index + 1, 'x'.repeat(1_000)))
    await expect(write(full, appends('c1', 1, ...long))).rejects.toMatchObject({
      code: 'JOURNAL_UNAVAILABLE',
      message: expect.stringContaining('the disk is full') as string,
    })
    expect(await full.entries('c1')).toEqual([])
    await db.query('pragma max_page_count = 100000')
    expect(await write(full, appends('c1', 1, ...long), closes('c1', 1))).toEqual(['written', 'written'])
    expect(await full.entries('c1')).toHaveLength(50)
    await full.close()
  })

  it('[HO12] is not available if its file is not a database, or its folder is a file', async () => {
    const file = join(folder, 'endwell.db')
    await writeFile(file, 'x'.repeat(10_000))
    const unavailable = { code: 'JOURNAL_UNAVAILABLE' }
    await expect(openJournal(folder)).rejects.toMatchObject(unavailable)
    await expect(openJournal(file)).rejects.toMatchObject(unavailable)
    await expect(openJournal(join(file, 'below'))).rejects.toMatchObject(unavailable)
  })

  it('[HO14] is refused if a newer version has changed its tables', async () => {
    await (await openJournal(join(folder, 'new', 'folder'))).close()
    const db = await SqliteDatabase.open({ folder: join(folder, 'new', 'folder') })
    await db.query('update {tables} set version = 99')
    await db.close()
    await expect(openJournal(join(folder, 'new', 'folder'))).rejects.toMatchObject({
      code: 'JOURNAL_VERSION',
      message: expect.stringMatching(/version 99.*Update endwell/) as string,
    })
  })

  it('[HO14] [DI4] is upgraded if it has the tables of an earlier version, and keeps its calls', async () => {
    const before = await openJournal(folder)
    await write(before, opens(newCall('c1')))
    await before.close()
    const db = await SqliteDatabase.open({ folder })
    for (const table of ['dials', 'recordings']) await db.query(`drop table {${table}}`)
    await db.query('update {tables} set version = 1')
    await db.close()
    const after = await openJournal(folder)
    const owner = { host: 'h1', worker: 'w1', address: '' }
    expect(await after.claimDial({ key: 'order 17', ticket: 't1', owner })).toMatchObject({ ticket: 't1' })
    expect(await after.find('c1')).toBeDefined()
    await after.close()
  })

  it('needs a folder, or the address of a database that it knows', async () => {
    await expect(openJournal('mysql://root:hunter2@localhost/x')).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.not.stringContaining('hunter2') as string,
    })
    await expect(openJournal(' ')).rejects.toMatchObject({ code: 'BAD_OPTION' })
  })
})
