import { describe, expect, it } from 'vitest'
import { samples } from './journal-conformance/index.ts'
import { MemoryJournal } from './memory-journal.ts'
import { inVirtualTime } from './simulate.ts'

const { LONG, closes, joinAs, newCall, opens, write } = samples

describe('a journal in memory', () => {
  it('can fail, before or after it has written', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = new MemoryJournal({ clock })
      const failing = journal.another({ fault: () => 'fail' })
      const losing = journal.another({ fault: (method) => (method === 'write' ? 'lost' : undefined) })
      const unavailable = { code: 'JOURNAL_UNAVAILABLE' }
      await expect(write(failing, opens(newCall('c1')))).rejects.toMatchObject(unavailable)
      expect(await journal.find('c1')).toBeUndefined()
      await expect(write(losing, opens(newCall('c1')))).rejects.toMatchObject(unavailable)
      expect(await losing.find('c1')).toMatchObject({ state: 'live' })
    }))

  it('can hang, or answer late after it has written', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = new MemoryJournal({ clock })
      const slow = journal.another({ fault: () => ({ late: 1_000 }) })
      let answered = false
      const hanging = journal.another({ fault: () => 'hang' })
      hanging.beat('h1', LONG).then(
        () => (answered = true),
        () => (answered = true),
      )
      const writing = write(slow, opens(newCall('c1')))
      expect(await journal.find('c1')).toMatchObject({ state: 'live' })
      await writing
      expect(clock.now()).toBe(1_000)
      expect(answered).toBe(false)
    }))

  it('lets leases and claims run out by its clock', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = new MemoryJournal({ clock })
      await joinAs(journal, 'h1', 15_000)
      await joinAs(journal, 'h2', LONG)
      await write(journal, opens(newCall('c1', { work: ['save'] })))
      await clock.elapse(14_999)
      expect(await journal.adopt('h2', 10)).toEqual([])
      await clock.elapse(1)
      expect(await journal.adopt('h2', 10)).toHaveLength(1)
      expect(await journal.beat('h1', 15_000)).toBeUndefined()
      await write(journal, closes('c1', 2))
      await journal.claim('a', { limit: 1, lease: 5_000 })
      expect(await journal.claim('b', { limit: 1, lease: 5_000 })).toEqual({ items: [], nextIn: 5_000 })
      await clock.elapse(5_000)
      expect((await journal.claim('b', { limit: 1, lease: 5_000 })).items).toHaveLength(1)
    }))
})
