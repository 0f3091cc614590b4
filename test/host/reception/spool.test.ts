import { appendFile, mkdtemp, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Spool, importSpools } from '../../../src/host/reception/spool.ts'
import type { CallWrite, WriteResult } from '../../../src/host/journal/index.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'

const { appends, closes, message, newCall, opens, ownerOn, reportOf, textOf } = samples

let folder: string
let journal: MemoryJournal

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endwell-spool-'))
  journal = new MemoryJournal()
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const said = async (call: string): Promise<string[]> =>
  (await journal.entries(call)).map(({ item }) => textOf(item))

/** Counts the writes of a journal. */
class Counting {
  writes: CallWrite[] = []
  failAfter = Infinity

  async write(batch: readonly CallWrite[]): Promise<readonly WriteResult[]> {
    if (this.writes.length >= this.failAfter) throw new Error('away')
    this.writes.push(...batch)
    return journal.write(batch)
  }
}

describe('a spool', () => {
  it('[HO1] has what it was given on disk, and moves it into the journal in order', async () => {
    const spool = new Spool(join(folder, 'spool'), 'h1-w1')
    await spool.add([opens(newCall('c1'))])
    await spool.add([appends('c1', 1, message(1, 'grüß Gott ✓')), appends('c1', 1, message(2, 'two'))])
    await spool.add([closes('c1', 1)])
    expect(spool.waiting).toBe(4)
    const results: WriteResult[] = []
    await spool.importInto(journal, (_, result) => results.push(result))
    expect(results).toEqual(['written', 'written', 'written', 'written'])
    expect([await said('c1'), await journal.report('c1')]).toEqual([['grüß Gott ✓', 'two'], reportOf('c1')])
    expect(spool.waiting).toBe(0)
    spool.clear()
    expect(await readdir(join(folder, 'spool'))).toEqual([])
  })

  it('imports what is added meanwhile, and nothing twice', async () => {
    const spool = new Spool(folder, 'h1-w1')
    const counting = new Counting()
    await spool.add([opens(newCall('c1'))])
    let added: Promise<void> | undefined
    await spool.importInto({
      write: async (batch) => {
        added ??= spool.add([appends('c1', 1, message(1, 'meanwhile'))])
        await added
        return counting.write(batch)
      },
    })
    expect(counting.writes.map(({ type }) => type)).toEqual(['open', 'entries'])
    await spool.add([closes('c1', 1)])
    await spool.importInto(counting)
    expect(counting.writes.map(({ type }) => type)).toEqual(['open', 'entries', 'close'])
  })

  it('goes on after a failure where it was, in chunks', async () => {
    const spool = new Spool(folder, 'h1-w1')
    const counting = new Counting()
    await spool.add([opens(newCall('c1'))])
    for (let from = 1; from <= 500; from += 100)
      await spool.add(
        Array.from({ length: 100 }, (_, index) => appends('c1', 1, message(from + index, `${from + index}`))),
      )
    counting.failAfter = 200
    await expect(spool.importInto(counting)).rejects.toThrow('away')
    expect([counting.writes.length, spool.waiting]).toEqual([200, 301])
    counting.failAfter = Infinity
    await spool.importInto(counting)
    expect([counting.writes.length, spool.waiting, (await said('c1')).length]).toEqual([501, 0, 500])
  })

  it('deletes nothing that the journal does not have', async () => {
    const spool = new Spool(folder, 'h1-w1')
    await spool.add([opens(newCall('c1'))])
    spool.clear()
    expect(spool.waiting).toBe(1)
    await spool.importInto(journal)
    spool.addNow([closes('c1', 1)])
    spool.clear()
    expect(await importSpools(folder, journal)).toBe(2)
    expect((await journal.find('c1'))?.state).toBe('closed')
  })

  it('rejects if the disk does not take the writes, and works again later', async () => {
    const place = join(folder, 'spool')
    await writeFile(place, 'a file where the folder should be')
    const spool = new Spool(place, 'h1-w1')
    await expect(spool.add([opens(newCall('c1'))])).rejects.toThrow()
    expect(() => spool.addNow([opens(newCall('c1'))])).toThrow()
    expect(spool.waiting).toBe(0)
    await rm(place)
    const next = new Spool(place, 'h1-w1')
    await next.add([opens(newCall('c1'))])
    expect(await importSpools(place, journal)).toBe(1)
  })

  it('loses nothing if another process takes its file', async () => {
    const spool = new Spool(folder, 'h1-w1')
    await spool.add([opens(newCall('c1')), appends('c1', 1, message(1, 'one'))])
    expect(await importSpools(folder, journal)).toBe(2)
    await spool.importInto(journal)
    expect(spool.waiting).toBe(0)
    await spool.add([appends('c1', 1, message(2, 'two'))])
    expect(spool.waiting).toBe(1)
    await spool.importInto(journal)
    expect(await said('c1')).toEqual(['one', 'two'])
    await spool.add([closes('c1', 1)])
    expect(await importSpools(folder, journal)).toBe(2)
    expect((await journal.find('c1'))?.state).toBe('closed')
  })
})

describe('what processes leave behind', () => {
  it('[HO1] is imported without the line that a crash has torn', async () => {
    const spool = new Spool(folder, 'h1-w1')
    await spool.add([opens(newCall('c1')), appends('c1', 1, message(1, 'one'))])
    await spool.add([appends('c1', 1, message(2, 'torn'))])
    const file = join(folder, 'spool-h1-w1.ndjson')
    const { length } = await readFile(file)
    await truncate(file, length - 20)
    await spool.add([appends('c1', 1, message(3, 'three'))])
    expect(await importSpools(folder, journal)).toBe(3)
    expect(await said('c1')).toEqual(['one', 'three'])
    expect(await readdir(folder)).toEqual([])
  })

  it('is imported again if the import was cut off', async () => {
    const spool = new Spool(folder, 'h1-w1')
    await spool.add([opens(newCall('c1')), appends('c1', 1, message(1, 'one')), closes('c1', 1)])
    await expect(importSpools(folder, { write: () => Promise.reject(new Error('away')) })).rejects.toThrow(
      'away',
    )
    expect(await readdir(folder)).toEqual(['import-spool-h1-w1.ndjson'])
    expect(await importSpools(folder, journal)).toBe(3)
    expect([await said('c1'), await readdir(folder)]).toEqual([['one'], []])
    expect(await importSpools(join(folder, 'none'), journal)).toBe(0)
  })

  it('is left alone while its process is alive, and so are other files', async () => {
    await new Spool(folder, 'a-b-w1').add([opens(newCall('c1'))])
    await new Spool(folder, 'h2-w2').add([opens(newCall('c2'))])
    await appendFile(join(folder, 'notes.txt'), 'mine')
    const asked: string[] = []
    const isAlive = (host: string, worker: string): boolean => {
      asked.push(`${host} ${worker}`)
      return host === 'h2'
    }
    expect(await importSpools(folder, journal, isAlive)).toBe(1)
    expect(asked).toEqual(['a-b w1', 'h2 w2'])
    expect(await readdir(folder)).toEqual(['notes.txt', 'spool-h2-w2.ndjson'])
  })

  it('[HO5] belongs to the process that opened the call first, if two did', async () => {
    const [first, second] = [ownerOn('h1', 'w1'), ownerOn('h1', 'w2')]
    await new Spool(folder, 'h1-w1').add([
      opens(newCall('c1', { owner: first })),
      appends('c1', 1, message(1, 'with the first')),
    ])
    await new Spool(folder, 'h1-w2').add([
      opens(newCall('c1', { owner: second })),
      appends('c1', 1, message(1, 'with the second'), message(2, 'and more')),
      closes('c1', 1),
    ])
    await importSpools(folder, journal)
    expect(await said('c1')).toEqual(['with the first'])
    expect(await journal.find('c1')).toMatchObject({ state: 'live', owner: { worker: 'w1' } })
  })
})
