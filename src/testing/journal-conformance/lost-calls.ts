import assert from 'node:assert/strict'
import type { Journal } from '../../host/journal/index.ts'
import type { Check } from '../conformance/index.ts'
import {
  LONG,
  OPENED,
  appends,
  closes,
  idsOf,
  joinAs,
  message,
  newCall,
  opens,
  ownerOn,
  write,
} from './samples.ts'
import { journalCheck, type JournalSubject } from './subject.ts'

const openOn = (journal: Journal, host: string, ids: readonly string[]) =>
  journal.write(
    ids.map((id, index) => opens(newCall(id, { owner: ownerOn(host), openedAt: OPENED + index }))),
  )

/** Hosts, their leases and orders, and calls that lost their process. */
export const lostCallChecks: readonly Check<JournalSubject>[] = [
  journalCheck('lists hosts with their leases, until they leave', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2', 0)
    await journal.drain('h1')
    const [first, second] = await journal.hosts()
    const { startedAt, leaseUntil, ...rest } = first!
    assert.deepEqual(rest, {
      id: 'h1',
      name: 'host h1',
      version: '1.0.0',
      capacity: 50,
      draining: true,
      expired: false,
    })
    assert.equal(leaseUntil - startedAt, LONG)
    assert.deepEqual([second?.id, second?.expired, second?.draining], ['h2', true, false])
    await journal.leave('h1')
    await journal.leave('h1')
    assert.deepEqual(idsOf(await journal.hosts()), ['h2'])
    assert.equal(await journal.beat('h1', LONG), undefined)
  }),

  journalCheck('renews a lease, also one that is over, until the host is declared dead', async (journal) => {
    await joinAs(journal, 'h1', 0)
    assert.deepEqual(await journal.beat('h1', LONG), { orders: [] })
    assert.equal((await journal.hosts())[0]?.expired, false)
    await joinAs(journal, 'h2')
    await journal.beat('h1', -1)
    await journal.adopt('h2', 10)
    assert.equal(await journal.beat('h1', LONG), undefined)
    assert.deepEqual(idsOf(await journal.hosts()), ['h2'])
    assert.equal(await journal.beat('unknown', LONG), undefined)
  }),

  journalCheck('has a host learn with a heartbeat that an operator drains it', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    await other.drain('h1')
    assert.deepEqual(await journal.beat('h1', LONG), { orders: [], draining: true })
    assert.deepEqual(await journal.beat('h1', LONG), { orders: [], draining: true })
    assert.deepEqual(await other.beat('h2', LONG), { orders: [] })
    await other.drain('unknown')
  }),

  journalCheck('hands out each order once, to the host of the call', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    await openOn(journal, 'h1', ['c1', 'c2'])
    assert.equal(await other.order({ call: 'c1', order: 'interrupt' }), true)
    assert.equal(await other.order({ call: 'c1', order: 'close' }), true)
    assert.equal(await other.order({ call: 'c1', order: 'close' }), true)
    assert.equal(await other.order({ call: 'none', order: 'close' }), false)
    assert.deepEqual(await other.beat('h2', LONG), { orders: [] })
    assert.deepEqual((await journal.beat('h1', LONG))?.orders, [
      { call: 'c1', order: 'interrupt' },
      { call: 'c1', order: 'close' },
    ])
    assert.deepEqual((await journal.beat('h1', LONG))?.orders, [])
    await write(journal, closes('c1', 1))
    assert.equal(await other.order({ call: 'c1', order: 'close' }), false)
    await journal.orphan('h1', 'w1')
    assert.equal(await other.order({ call: 'c2', order: 'close' }), false)
  }),

  journalCheck('keeps an order for the next owner of a call', async (journal, other) => {
    await joinAs(journal, 'h1', 0)
    await joinAs(other, 'h2')
    await openOn(journal, 'h1', ['c1'])
    await journal.order({ call: 'c1', order: 'close' })
    await other.take('c1', ownerOn('h2'))
    assert.deepEqual((await other.beat('h2', LONG))?.orders, [{ call: 'c1', order: 'close' }])
  }),

  journalCheck('makes the live calls of a worker orphans, once', async (journal) => {
    await joinAs(journal, 'h1')
    await openOn(journal, 'h1', ['c1', 'c2', 'c3'])
    await write(journal, opens(newCall('c4', { owner: ownerOn('h1', 'w2') })))
    await write(journal, appends('c2', 1, message(1, 'hello')), closes('c3', 1))
    const lost = await journal.orphan('h1', 'w1')
    assert.deepEqual(idsOf(lost), ['c1', 'c2'])
    assert.deepEqual(lost[1]?.entries, [message(1, 'hello')])
    for (const { owner, host, fence, orphanedAt } of lost) {
      assert.deepEqual([owner, host, fence], [undefined, 'h1', 2])
      assert.equal(typeof orphanedAt, 'number')
    }
    assert.deepEqual(await journal.orphan('h1', 'w1'), [])
    assert.deepEqual(await journal.orphans('h1'), lost)
    await write(journal, closes('c1', 2))
    assert.deepEqual(idsOf(await journal.orphans('h1')), ['c2'])
  }),

  journalCheck('lets a living host adopt the calls of a host whose lease is over', async (journal, other) => {
    await joinAs(journal, 'h1', 0)
    await openOn(journal, 'h1', ['c1', 'c2', 'c3'])
    await write(journal, closes('c3', 1), appends('c1', 1, message(1, 'hello')))
    assert.deepEqual(await other.adopt('h2', 10), [], 'a host that has not joined')
    await joinAs(other, 'h2')
    const first = await other.adopt('h2', 1)
    assert.deepEqual(idsOf(first), ['c1'])
    assert.deepEqual(
      [first[0]?.host, first[0]?.owner, first[0]?.fence, first[0]?.entries],
      ['h2', undefined, 2, [message(1, 'hello')]],
    )
    assert.deepEqual(idsOf(await other.adopt('h2', 10)), ['c2'])
    assert.deepEqual(await other.adopt('h2', 10), [])
    assert.deepEqual(idsOf(await other.orphans('h2')), ['c1', 'c2'])
    assert.deepEqual(await write(journal, appends('c1', 1, message(2, 'zombie'))), ['fenced'])
  }),

  journalCheck('adopts nothing from hosts that live', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    await openOn(journal, 'h1', ['c1'])
    assert.deepEqual(await other.adopt('h2', 10), [])
    assert.deepEqual(await write(journal, appends('c1', 1, message(1, 'hi'))), ['written'])
    await journal.leave('h1')
    assert.deepEqual(idsOf(await other.adopt('h2', 10)), ['c1'])
  }),

  journalCheck(
    'adopts the orphans of a dead host, and calls of a host that is unknown',
    async (journal, other) => {
      await joinAs(journal, 'h1')
      await openOn(journal, 'h1', ['c1'])
      await openOn(journal, 'never joined', ['c2'])
      await journal.orphan('h1', 'w1')
      await journal.beat('h1', 0)
      await joinAs(other, 'h2')
      const adopted = await other.adopt('h2', 10)
      assert.deepEqual(
        adopted.map(({ id, fence }) => [id, fence]),
        [
          ['c1', 3],
          ['c2', 2],
        ],
      )
    },
  ),

  journalCheck('gives each call to one of two hosts that adopt at once', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    for (let round = 0; round < 2; round += 1) {
      await joinAs(journal, `dead${round}`, 0)
      const ids = Array.from({ length: 60 }, (_, index) => `c${round}-${String(index).padStart(2, '0')}`)
      await openOn(journal, `dead${round}`, ids)
      const asked = Array.from({ length: 10 }, () => [journal.adopt('h1', 7), other.adopt('h2', 7)]).flat()
      const adopted = (await Promise.all(asked)).flat()
      // What was locked meanwhile is left for the next time.
      adopted.push(...(await journal.adopt('h1', 100)))
      assert.deepEqual(idsOf(adopted).toSorted(), ids)
      assert.ok(adopted.every(({ fence }) => fence === 2))
    }
  }),

  journalCheck('lets a process take an orphan, or a call of a dead host', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    await openOn(journal, 'h1', ['c1', 'c2', 'c3'])
    await write(journal, appends('c1', 1, message(1, 'hello')), closes('c3', 1))
    const owner = ownerOn('h2', 'w9')
    assert.equal(await other.take('c1', owner), undefined, 'it has a living owner')
    assert.equal(await other.take('c3', owner), undefined, 'it has ended')
    assert.equal(await other.take('none', owner), undefined, 'there is no such call')
    await journal.orphan('h1', 'w1')
    assert.equal(await other.take('c1', ownerOn('unknown')), undefined, 'the new owner is not alive')
    const taken = await other.take('c1', owner)
    assert.deepEqual([taken?.owner, taken?.host, taken?.fence], [owner, 'h2', 3])
    assert.equal(taken?.orphanedAt, undefined)
    assert.deepEqual(taken?.entries, [message(1, 'hello')])
    assert.deepEqual(await other.take('c1', owner), taken, 'the answer may have been lost')
    assert.equal(await journal.take('c1', ownerOn('h1')), undefined)
    assert.deepEqual(await write(other, appends('c1', 3, message(2, 'go on'))), ['written'])
    await journal.beat('h1', 0)
    await openOn(journal, 'h1', ['c4'])
    assert.equal((await other.take('c4', owner))?.fence, 2)
    assert.equal(await journal.beat('h1', LONG), undefined, 'its host was declared dead')
  }),

  journalCheck('finds a call with the loss of its host, until the call has ended', async (journal) => {
    await joinAs(journal, 'h1')
    await openOn(journal, 'h1', ['c1'])
    assert.equal((await journal.find('c1'))?.hostLost, undefined)
    await journal.beat('h1', -1)
    assert.equal((await journal.find('c1'))?.hostLost, true)
    await journal.leave('h1')
    assert.equal((await journal.find('c1'))?.hostLost, true)
    await write(journal, closes('c1', 1))
    assert.equal((await journal.find('c1'))?.hostLost, undefined)
  }),

  journalCheck('refuses to open a call again that its owner got back', async (journal) => {
    await joinAs(journal, 'h1')
    await openOn(journal, 'h1', ['c1'])
    await journal.orphan('h1', 'w1')
    assert.equal((await journal.take('c1', ownerOn('h1')))?.fence, 3)
    assert.deepEqual(await write(journal, opens(newCall('c1'))), ['fenced'])
  }),

  journalCheck(
    'lets its owner close a call, or its host make it an orphan, never both',
    async (journal, other) => {
      await joinAs(journal, 'h1')
      for (let round = 0; round < 5; round += 1) {
        const ids = Array.from({ length: 8 }, (_, index) => `c${round}-${index}`)
        await openOn(journal, 'h1', ids)
        const [lost, ...closed] = await Promise.all([
          other.orphan('h1', 'w1'),
          ...ids.map((id) => journal.write([closes(id, 1)])),
        ])
        const written = ids.filter((_, index) => closed[index]?.[0] === 'written')
        assert.deepEqual([...written, ...idsOf(lost)].toSorted(), ids)
        for (const { id, state, fence } of await journal.list({ limit: ids.length }))
          assert.deepEqual([state, fence], written.includes(id) ? ['closed', 1] : ['live', 2])
        await journal.write(ids.map((id) => closes(id, 2)))
        await journal.prune(Number.MAX_SAFE_INTEGER, 100)
      }
    },
  ),

  journalCheck('gives a call to one of several that take and adopt at once', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(other, 'h2')
    for (let round = 0; round < 5; round += 1) {
      const id = `c${round}`
      await joinAs(journal, `dead${round}`, 0)
      await openOn(journal, `dead${round}`, [id])
      const results = await Promise.all([
        journal.take(id, ownerOn('h1')),
        other.adopt('h2', 10),
        other.take(id, ownerOn('h2')),
        journal.adopt('h1', 10),
      ])
      const fences = results.flat().flatMap((lost) => (lost?.id === id ? [lost.fence] : []))
      const now = await journal.find(id)
      // An orphan may be taken right after it was adopted, under the next fence. The last fence is the one that counts.
      assert.equal(new Set(fences).size, fences.length, 'two got the same fence')
      assert.equal(now?.fence, Math.max(...fences))
      await write(journal, closes(id, now.fence))
    }
  }),
]
