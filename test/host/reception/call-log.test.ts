import { describe, expect, it } from 'vitest'
import { noop } from '../../../src/scope/index.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import { Stage, staged } from './call-log-stage.ts'

const { joinAs, ownerOn, reportOf } = samples

describe('a call log', () => {
  it('[HO1] resolves an opening once the journal has the call, and an end once it has the report', () =>
    staged(async (stage) => {
      stage.fault = { late: 500 }
      const opened = stage.open('c1').then(() => stage.clock.now())
      await stage.clock.elapse(499)
      expect(stage.log.has('c1')).toBe(false)
      expect(await opened).toBe(500)
      expect(stage.log.has('c1')).toBe(true)
      const ended = stage.end('c1').then(() => stage.clock.now())
      expect(await ended).toBe(1_000)
      expect(await stage.journal.report('c1')).toEqual(reportOf('c1'))
    }))

  it('keeps the order, and writes what has gathered meanwhile in one batch', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.fault = { late: 100 }
      session.say('one')
      await stage.clock.elapse(1)
      for (const text of ['two', 'three']) session.say(text)
      session.say('three and a half', 'm3')
      const ended = stage.end('c1')
      await ended
      expect(stage.batches).toEqual([1, 1, 4])
      expect(await stage.said('c1')).toEqual(['one', 'two', 'three', 'three and a half'])
      expect(await stage.state('c1')).toBe('closed')
    }))

  it('lets words gather while the journal is slow, but no call and no report wait for them', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.fault = { late: 20 }
      session.say('one')
      await stage.clock.elapse(50)
      session.say('two')
      await stage.clock.elapse(100)
      session.say('three')
      expect(stage.batches).toEqual([1, 1])
      await stage.clock.elapse(150)
      expect(stage.batches).toEqual([1, 1, 2])
      session.say('four')
      const began = stage.clock.now()
      await stage.open('c2')
      expect(stage.clock.now() - began).toBeLessThanOrEqual(20)
      expect(stage.batches).toEqual([1, 1, 2, 2])
      session.say('five')
      await stage.clock.elapse(1)
      await stage.log.close()
      expect(await stage.said('c1')).toEqual(['one', 'two', 'three', 'four', 'five'])
    }))

  it('writes an item once per change', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      session.say('one')
      session.say('one', 'm1')
      session.say('two')
      await stage.clock.elapse(1)
      expect(await stage.said('c1')).toEqual(['one', 'two'])
    }))

  it.each<[string, JournalFault, number]>([
    ['fails', 'fail', 5],
    ['loses its answers', 'lost', 5],
    ['hangs', 'hang', 2_005],
    ['answers late, after it has written', { late: 60_000 }, 2_005],
  ])('[HO1] uses a spool while the journal %s, and empties it afterwards', (_, fault, within) =>
    staged(async (stage) => {
      const first = await stage.answer('c1')
      first.say('before')
      await stage.clock.elapse(1)
      stage.fault = fault
      first.say('while it is away')
      const second = await stage.answer('c2')
      expect(stage.clock.now()).toBeLessThan(within)
      const since = stage.clock.now()
      second.say('hello')
      await stage.answer('c3')
      await stage.end('c2')
      // From then on nobody waits.
      expect(stage.clock.now() - since).toBeLessThan(10)
      await stage.clock.elapse(30_000)
      expect(stage.spool.waiting).toBeGreaterThan(0)
      stage.fault = undefined
      await stage.clock.elapse(15_000)
      expect(stage.log.spooled).toBe(0)
      expect(await stage.said('c1')).toEqual(['before', 'while it is away'])
      expect([await stage.state('c1'), await stage.state('c2'), await stage.state('c3')]).toEqual([
        'live',
        'closed',
        'live',
      ])
      expect(await stage.said('c2')).toEqual(['hello'])
      const batches = stage.batches.length
      first.say('after')
      await stage.clock.elapse(1)
      expect(stage.batches.length).toBe(batches + 1)
      expect(await stage.said('c1')).toEqual(['before', 'while it is away', 'after'])
      expect([stage.fenced, stage.log.lost]).toEqual([[], 0])
    }),
  )

  it('never makes a call wait while the spool is being imported', () =>
    staged(async (stage) => {
      stage.fault = 'fail'
      await stage.open('c1')
      stage.fault = 'hang'
      await stage.clock.elapse(3_000)
      const began = stage.clock.now()
      await stage.open('c2')
      expect(stage.clock.now() - began).toBeLessThan(5)
      stage.fault = undefined
      await stage.clock.elapse(15_000)
      expect(await stage.state('c2')).toBe('live')
    }))

  it('keeps everything in order if the journal comes back while calls are written', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.fault = 'fail'
      const texts = Array.from({ length: 600 }, (_, index) => `word ${index}`)
      for (const [index, text] of texts.entries()) {
        session.say(text)
        if (index === 200) stage.fault = { late: 3 }
        await stage.clock.elapse(1)
      }
      await stage.clock.elapse(10_000)
      expect(await stage.said('c1')).toEqual(texts)
      expect(stage.log.spooled).toBe(0)
      expect(stage.log.inspect()).toMatchObject({ store: 'journal' })
    }))

  it('[HO35] refuses new calls at once while neither the journal nor the disk works, and keeps the rest', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      await stage.answer('c2')
      stage.fault = 'hang'
      stage.disk.full = true
      session.say('kept')
      await expect(stage.open('c3')).rejects.toThrow()
      const began = stage.clock.now()
      const ended = stage.end('c2')
      await expect(stage.open('c4')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
      expect(stage.clock.now()).toBe(began)
      await stage.clock.elapse(20_000)
      stage.fault = undefined
      await ended
      expect(await stage.said('c1')).toEqual(['kept'])
      expect([await stage.state('c2'), await stage.state('c3')]).toEqual(['closed', undefined])
      expect(stage.log.lost).toBe(0)
      await stage.open('c5')
    }))

  it('uses the disk again as soon as there is room', () =>
    staged(async (stage) => {
      await stage.answer('c1')
      stage.fault = 'fail'
      stage.disk.full = true
      const ended = stage.end('c1')
      await stage.clock.elapse(5_000)
      stage.disk.full = false
      await ended
      expect(stage.log.spooled).toBe(1)
      await stage.open('c2')
    }))

  it('[HO35] counts what it cannot keep', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.fault = 'fail'
      stage.disk.full = true
      for (let count = 0; count < 10_050; count++) session.say(`${count}`, 'm1')
      await stage.clock.elapse(10)
      expect(stage.log.lost).toBe(50)
    }))

  it('[HO1] stores everything at once when it is aborted, also what was under way', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.fault = 'hang'
      session.say('under way')
      await stage.clock.elapse(1)
      session.say('queued')
      const ended = stage.end('c1')
      stage.log.abort()
      expect(stage.disk.files.get('w1')).toHaveLength(3)
      await ended
      stage.log.abort()
      const later = stage.open('c2')
      expect(stage.disk.files.get('w1')).toHaveLength(4)
      await later
      await stage.clock.elapse(20_000)
      expect(stage.disk.files.get('w1')).toHaveLength(4)
    }))

  it('[HO35] counts and rejects what an abort could not store', () =>
    staged(async (stage) => {
      await stage.answer('c1')
      stage.fault = 'hang'
      stage.disk.full = true
      const ended = stage.end('c1')
      stage.log.abort()
      await expect(ended).rejects.toThrow('ENOSPC')
      expect(stage.log.lost).toBe(1)
      await stage.clock.elapse(5_000)
      expect(stage.log.lost).toBe(1)
    }))

  it('closes once everything is stored', () =>
    staged(async (stage) => {
      await stage.log.close()
      await stage.answer('c1')
      stage.fault = 'hang'
      stage.end('c1').catch(noop)
      await stage.log.close()
      expect(stage.clock.now()).toBe(2_001)
      expect(stage.spool.waiting).toBe(1)
    }))

  it('[HO5] lets go of a call once when another process has it, and writes nothing more about it', () =>
    staged(async (stage) => {
      await joinAs(stage.journal, 'h2')
      const session = await stage.answer('c1')
      await stage.journal.orphan('h1', 'w1')
      expect(await stage.journal.take('c1', ownerOn('h2'))).toMatchObject({ fence: 3 })
      stage.fault = { late: 10 }
      for (const text of ['one', 'two', 'three']) {
        session.say(text)
        await stage.clock.elapse(1)
      }
      await stage.clock.elapse(100)
      expect(stage.fenced).toEqual(['c1'])
      await stage.end('c1')
      expect([await stage.said('c1'), await stage.state('c1')]).toEqual([[], 'live'])
    }))

  it('writes nothing about a call that was let go of', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      stage.log.letGo('c1')
      session.say('too late')
      await stage.end('c1')
      expect([await stage.said('c1'), await stage.state('c1'), stage.fenced]).toEqual([[], 'live', []])
    }))

  it('goes on with a call whose process is gone, and refuses one that another process serves', () =>
    staged(async (stage, world) => {
      const other = new Stage(world, {}, stage, 'w2')
      const session = await other.answer('c1')
      session.say('hello')
      await stage.clock.elapse(1)
      await expect(stage.open('c1')).rejects.toMatchObject({ code: 'CALL_TAKEN' })
      await stage.journal.orphan('h1', 'w2')
      const next = await stage.answer('c1')
      next.say('again', 'm2')
      await stage.clock.elapse(1)
      expect(await stage.said('c1')).toEqual(['hello', 'again'])
      session.say('still there?')
      await stage.clock.elapse(1)
      expect([other.fenced, stage.fenced]).toEqual([['c1'], []])
      await other.scope.close()
    }))

  it('keeps a call that it has taken again when old writes are refused late', () =>
    staged(async (stage) => {
      const session = await stage.answer('c1')
      await stage.journal.orphan('h1', 'w1')
      stage.fault = { late: 1_000 }
      session.say('under the first fence')
      await stage.clock.elapse(1)
      stage.log.letGo('c1')
      stage.fault = undefined
      const again = await stage.answer('c1')
      await stage.clock.elapse(2_000)
      expect(stage.fenced).toEqual([])
      again.say('here')
      await stage.clock.elapse(1)
      expect(await stage.said('c1')).toEqual(['here'])
    }))

  it('[HO5] lets go of a call that two processes opened while the journal was away', () =>
    staged(async (stage, world) => {
      const other = new Stage(world, {}, stage, 'w2')
      stage.fault = other.fault = 'fail'
      const first = await stage.answer('c1')
      first.say('with the first')
      const second = await other.answer('c1')
      second.say('with the second')
      await stage.clock.elapse(500)
      stage.fault = undefined
      await stage.clock.elapse(5_000)
      other.fault = undefined
      await stage.clock.elapse(5_000)
      expect([stage.fenced, other.fenced]).toEqual([[], ['c1']])
      await stage.end('c1')
      expect(await stage.said('c1')).toEqual(['with the first'])
      await other.scope.close()
    }))
})

describe('a call log that refuses calls while the journal is away', () => {
  it('rejects them, but stores the rest of the calls that run', () =>
    staged(
      async (stage) => {
        const session = await stage.answer('c1')
        stage.fault = 'hang'
        await expect(stage.open('c2')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
        const began = stage.clock.now()
        await expect(stage.open('c3')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
        expect(stage.clock.now()).toBe(began)
        session.say('still here')
        await stage.end('c1')
        stage.fault = undefined
        await stage.clock.elapse(60_000)
        expect([await stage.said('c1'), await stage.state('c1')]).toEqual([['still here'], 'closed'])
        expect([await stage.state('c2'), await stage.state('c3')]).toEqual([undefined, undefined])
        await stage.open('c4')
      },
      { whileAway: 'refuse' },
    ))

  it('[HO34] closes a call in the journal that was written but refused', () =>
    staged(
      async (stage) => {
        stage.fault = { late: 10_000 }
        await expect(stage.open('c1')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
        await expect(stage.open('c2')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
        stage.fault = undefined
        await stage.clock.elapse(60_000)
        expect(await stage.journal.find('c1')).toMatchObject({ state: 'closed', reason: 'host-lost' })
        expect(await stage.journal.find('c2')).toBeUndefined()
      },
      { whileAway: 'refuse' },
    ))

  it('leaves such a call alone if it was opened again meanwhile', () =>
    staged(
      async (stage) => {
        stage.fault = { late: 10_000 }
        await expect(stage.open('c1')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
        stage.fault = undefined
        await stage.clock.elapse(12_000)
        await stage.open('c1')
        await stage.clock.elapse(60_000)
        expect(await stage.state('c1')).toBe('live')
      },
      { whileAway: 'refuse' },
    ))
})
