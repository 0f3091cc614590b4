import assert from 'node:assert/strict'
import type { ClaimedWork, Journal } from '../../host/journal/index.ts'
import type { Check } from '../conformance/index.ts'
import { LONG, closes, joinAs, newCall, opens, reportOf, write } from './samples.ts'
import { journalCheck, type JournalSubject } from './subject.ts'

/** Ends a call that leaves work. */
async function endCall(journal: Journal, id: string, work: readonly string[]): Promise<void> {
  await write(journal, opens(newCall(id, { work, trace: '00-ab-cd-01' })), closes(id, 1))
}

const claimAll = async (journal: Journal, owner: string, lease = LONG): Promise<readonly ClaimedWork[]> =>
  (await journal.claim(owner, { limit: 100, lease })).items

const keysOf = (items: readonly { readonly key: string }[]): string[] =>
  items.map(({ key }) => key).toSorted()

/** Work after calls: claims, their leases and fences, retries. */
export const workChecks: readonly Check<JournalSubject>[] = [
  journalCheck('makes work due when its call has ended, and claims it once', async (journal, other) => {
    await joinAs(journal, 'h1')
    await write(journal, opens(newCall('c1', { work: ['save', 'mail'] })))
    assert.deepEqual(await journal.claim('a', { limit: 10, lease: LONG }), { items: [] })
    const [waiting] = await journal.work({ call: 'c1', state: 'waiting' })
    assert.deepEqual([waiting?.dueAt, waiting?.attempts], [undefined, 0])
    assert.equal((await journal.workCounts()).waiting, 0)
    await write(journal, closes('c1', 1))
    assert.equal((await journal.workCounts()).waiting, 2)
    const items = await claimAll(journal, 'a')
    assert.deepEqual(items.map(({ handler }) => handler).toSorted(), ['mail', 'save'])
    for (const item of items) {
      assert.deepEqual([item.call, item.attempt, item.fence], ['c1', 1, 1])
      assert.deepEqual(item.report, reportOf('c1'))
    }
    assert.deepEqual(await claimAll(other, 'b'), [])
    assert.equal((await journal.work({ state: 'running' })).length, 2)
  }),

  journalCheck('passes the trace of the call on', async (journal) => {
    await endCall(journal, 'c1', ['save'])
    assert.equal((await claimAll(journal, 'a'))[0]?.trace, '00-ab-cd-01')
  }),

  journalCheck('claims as many as asked for, and says when more is due', async (journal, other) => {
    await endCall(journal, 'c1', ['w1', 'w2', 'w3'])
    const first = await journal.claim('a', { limit: 2, lease: LONG })
    assert.deepEqual([first.items.length, first.nextIn], [2, 0])
    const second = await other.claim('b', { limit: 2, lease: LONG })
    assert.equal(second.items.length, 1)
    assert.ok(
      second.nextIn! > LONG - 60_000 && second.nextIn! <= LONG,
      'when the claims of the other run out',
    )
    for (const item of second.items)
      await other.settle(item, { state: 'waiting', delay: 60_000, error: 'busy' })
    const { nextIn } = await journal.claim('a', { limit: 2, lease: LONG })
    assert.ok(nextIn! > 30_000 && nextIn! <= 60_000, `${nextIn}`)
    for (const item of first.items) await journal.settle(item, { state: 'done' })
    await journal.retry({ call: 'c1' })
    for (const item of await claimAll(journal, 'a')) await journal.settle(item, { state: 'done' })
    assert.deepEqual(await journal.claim('a', { limit: 2, lease: LONG }), { items: [] })
  }),

  journalCheck('gives each piece to one of two that claim at once', async (journal, other) => {
    for (let index = 0; index < 10; index += 1) await endCall(journal, `c${index}`, ['w1', 'w2', 'w3'])
    const rounds = Array.from({ length: 8 }, () => [
      journal.claim('a', { limit: 4, lease: LONG }),
      other.claim('b', { limit: 4, lease: LONG }),
    ]).flat()
    const claimed = (await Promise.all(rounds)).flatMap(({ items }) => items)
    claimed.push(...(await claimAll(journal, 'a')))
    assert.equal(claimed.length, 30)
    assert.equal(new Set(keysOf(claimed)).size, 30, 'a piece was claimed twice')
    assert.ok(claimed.every(({ fence, attempt }) => fence === 1 && attempt === 1))
  }),

  journalCheck(
    'lets another owner claim what a claim ran out on, and refuses the first',
    async (journal, other) => {
      await endCall(journal, 'c1', ['save'])
      const [stale] = await claimAll(journal, 'a', 0)
      const [fresh] = await claimAll(other, 'b')
      assert.deepEqual([fresh?.key, fresh?.fence, fresh?.attempt], [stale?.key, 2, 2])
      assert.equal(fresh?.since, stale?.since)
      assert.deepEqual(await journal.renew('a', [stale!], LONG), [])
      assert.equal(await journal.settle(stale!, { state: 'dead', error: 'zombie' }), false)
      assert.equal((await journal.work({ call: 'c1' }))[0]?.state, 'running')
      assert.equal(await other.settle(fresh!, { state: 'done' }), true)
      assert.equal((await journal.work({ call: 'c1' }))[0]?.state, 'done')
    },
  ),

  journalCheck('renews the claims of their owner, also those that ran out', async (journal, other) => {
    await endCall(journal, 'c1', ['w1', 'w2', 'w3'])
    const items = await claimAll(journal, 'a', 0)
    const [first, second] = items
    await journal.settle(first!, { state: 'done' })
    assert.deepEqual(await other.renew('b', items, LONG), [])
    assert.deepEqual([...(await journal.renew('a', items, LONG))].toSorted(), keysOf(items.slice(1)))
    assert.deepEqual(await claimAll(other, 'b'), [])
    assert.deepEqual(await journal.renew('a', [{ key: second!.key, fence: 9 }], LONG), [])
    assert.deepEqual(await journal.renew('a', [], LONG), [])
  }),

  journalCheck('settles work as done, dead, or to be tried again', async (journal) => {
    await endCall(journal, 'c1', ['a', 'b', 'c'])
    const [a, b, c] = (await claimAll(journal, 'x')).toSorted((one, two) => (one.key < two.key ? -1 : 1))
    assert.equal(await journal.settle(a!, { state: 'done' }), true)
    assert.equal(await journal.settle(b!, { state: 'dead', error: 'gone \0' }), true)
    assert.equal(await journal.settle(c!, { state: 'waiting', delay: 0, error: '500' }), true)
    const [done, dead, waiting] = (await journal.work({ call: 'c1' })).toSorted((one, two) =>
      one.key < two.key ? -1 : 1,
    )
    assert.deepEqual([done?.state, done?.error, typeof done?.doneAt], ['done', undefined, 'number'])
    assert.deepEqual([dead?.state, dead?.doneAt], ['dead', undefined])
    assert.match(dead?.error ?? '', /^gone ./)
    assert.deepEqual([waiting?.state, waiting?.error, waiting?.attempts], ['waiting', '500', 1])
    const [again] = await claimAll(journal, 'x')
    assert.deepEqual([again?.key, again?.attempt, again?.fence], [c?.key, 2, 2])
    const { waiting: left, running, dead: buried } = await journal.workCounts()
    assert.deepEqual([left, running, buried], [0, 1, 1])
  }),

  journalCheck('changes nothing when a claim is ended again', async (journal) => {
    await endCall(journal, 'c1', ['save'])
    const [item] = await claimAll(journal, 'a')
    assert.equal(await journal.settle(item!, { state: 'done' }), true)
    const before = await journal.work({})
    assert.equal(await journal.settle(item!, { state: 'done' }), true)
    assert.equal(await journal.settle(item!, { state: 'dead', error: 'no' }), true)
    assert.deepEqual(await journal.work({}), before)
    assert.equal(await journal.settle({ key: 'none', fence: 1 }, { state: 'done' }), false)
  }),

  journalCheck('makes the running work of an owner that is gone due at once', async (journal, other) => {
    await endCall(journal, 'c1', ['w1', 'w2'])
    await endCall(journal, 'c2', ['w3'])
    const { items } = await journal.claim('a', { limit: 2, lease: LONG })
    await other.claim('b', { limit: 1, lease: LONG })
    assert.equal(await journal.release('a'), 2)
    assert.equal(await journal.release('a'), 0)
    assert.equal(await journal.settle(items[0]!, { state: 'done' }), false)
    assert.deepEqual(keysOf(await claimAll(other, 'c')), keysOf(items))
  }),

  journalCheck('retries one piece, the work of a call, or all that is dead', async (journal) => {
    await endCall(journal, 'c1', ['a', 'b'])
    await endCall(journal, 'c2', ['c', 'd'])
    await write(journal, opens(newCall('live', { work: ['e'] })))
    const items = await claimAll(journal, 'x')
    for (const item of items)
      await journal.settle(item, item.handler === 'd' ? { state: 'done' } : { state: 'dead', error: 'no' })
    const of = (handler: string) => items.find((item) => item.handler === handler)!
    assert.equal(await journal.retry({ key: of('a').key }), 1)
    const [first] = await claimAll(journal, 'x')
    assert.deepEqual([first?.key, first?.attempt, first?.fence], [of('a').key, 1, 2])
    await journal.settle(first!, { state: 'waiting', delay: LONG, error: 'later' })
    assert.equal(await journal.retry({}), 2)
    assert.deepEqual(keysOf(await claimAll(journal, 'x')), keysOf([of('b'), of('c')]))
    assert.equal(await journal.retry({ call: 'c1' }), 1)
    const [waiting] = await claimAll(journal, 'x')
    assert.deepEqual([waiting?.key, waiting?.attempt], [of('a').key, 2])
    assert.equal(await journal.retry({ key: of('d').key }), 0, 'it is done')
    assert.equal(await journal.retry({ call: 'live' }), 0, 'its call has not ended')
  }),

  journalCheck('counts work and the age of the oldest', async (journal) => {
    assert.deepEqual(await journal.workCounts(), { waiting: 0, running: 0, dead: 0, oldest: 0 })
    await endCall(journal, 'c1', ['a'])
    const { oldest, ...counts } = await journal.workCounts()
    assert.deepEqual(counts, { waiting: 1, running: 0, dead: 0 })
    assert.ok(oldest >= 0 && oldest < 60_000)
  }),

  journalCheck('wakes listeners when work falls due or an order is left', async (journal, other, stage) => {
    const woken = new Set<string>()
    // Without a host, there may be orders for any of them.
    const stop = journal.onWake?.((what, host = 'h1') =>
      woken.add(what === 'work' ? what : `${what} ${host}`),
    )
    assert.ok(stop, 'it cannot wake')
    await joinAs(journal, 'h1')
    await endCall(journal, 'c1', ['a'])
    assert.ok(woken.has('work'))
    // At once: what is sent before the journal listens must not be missed.
    await write(other, opens(newCall('live')))
    await other.order({ call: 'live', order: 'close' })
    await stage.until(10_000, () => woken.has('orders h1'))
    assert.deepEqual([...woken].toSorted(), ['orders h1', 'work'])
    stop()
  }),
]
