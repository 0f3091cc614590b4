import assert from 'node:assert/strict'
import type { DialRecord, Journal, NewDial } from '../../host/journal/index.ts'
import type { Check } from '../conformance/index.ts'
import { LONG, joinAs, ownerOn } from './samples.ts'
import { journalCheck, type JournalSubject } from './subject.ts'

const dial = (key: string, ticket: string, host = 'h1', worker = 'w1'): NewDial => ({
  key,
  ticket,
  owner: ownerOn(host, worker),
})

const outcomeOf = async (journal: Journal, key: string): Promise<DialRecord['outcome']> =>
  (await journal.findDial({ key }))?.outcome

const lost = { outcome: 'unknown', why: 'the process that called is gone' }

/** Attempts to call somebody: one key never dials twice. */
export const dialChecks: readonly Check<JournalSubject>[] = [
  journalCheck('gives a key to one attempt, however many claim it at once', async (journal, other) => {
    await joinAs(journal, 'h1')
    await joinAs(journal, 'h2')
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (n % 2 === 0 ? journal : other).claimDial(dial('order 17', `t${n}`, n % 2 === 0 ? 'h1' : 'h2')),
      ),
    )
    assert.equal(new Set(claims.map(({ ticket }) => ticket)).size, 1)
    const { ticket, claimedAt, owner } = claims[0]!
    assert.ok(claimedAt > 0)
    // Its own claim again, after an answer that was lost.
    assert.deepEqual(await journal.claimDial({ key: 'order 17', ticket, owner }), claims[0])
    assert.deepEqual(await other.findDial({ key: 'order 17' }), claims[0])
    assert.deepEqual(await other.findDial({ ticket }), claims[0])
    assert.equal(await journal.findDial({ key: 'order 18' }), undefined)
    assert.equal(await journal.findDial({ ticket: 't99' }), undefined)
  }),

  journalCheck('keeps the outcome of an attempt: only an unknown one can change', async (journal, other) => {
    await joinAs(journal, 'h1')
    await journal.claimDial(dial('a', 't1'))
    assert.equal(await journal.settleDial('t1', { outcome: 'unknown', why: 'silence', took: 70_000 }), true)
    assert.equal(await other.settleDial('t1', { outcome: 'busy', call: 'CA1' }), true)
    assert.equal(await journal.settleDial('t1', { outcome: 'answered', call: 'CA2' }), false)
    const { claimedAt: _, ...found } = (await other.findDial({ key: 'a' }))!
    assert.deepEqual(found, { ...dial('a', 't1'), outcome: 'busy', call: 'CA1' })
    const again = await other.claimDial(dial('a', 't2', 'h2', 'w9'))
    assert.deepEqual([again.ticket, again.outcome], ['t1', 'busy'])
    assert.equal(await journal.settleDial('none', { outcome: 'busy' }), false)
  }),

  journalCheck('frees a key with which nothing was dialled', async (journal) => {
    await joinAs(journal, 'h1')
    await journal.claimDial(dial('a', 't1'))
    assert.equal(await journal.settleDial('t1', undefined), true)
    assert.equal(await journal.settleDial('t1', undefined), false)
    assert.equal((await journal.claimDial(dial('a', 't2'))).ticket, 't2')
    await journal.settleDial('t2', { outcome: 'unknown' })
    assert.equal(await journal.settleDial('t2', undefined), false)
  }),

  journalCheck('calls an attempt unknown whose worker is gone, and no other', async (journal, other) => {
    await joinAs(journal, 'h1')
    for (const worker of ['w1', 'w2']) await journal.claimDial(dial(worker, `t-${worker}`, 'h1', worker))
    await journal.claimDial(dial('busy', 't3'))
    await journal.settleDial('t3', { outcome: 'busy' })
    await journal.orphan('h1', 'w1')
    const { claimedAt: _, ...found } = (await other.findDial({ key: 'w1' }))!
    assert.deepEqual(found, { ...dial('w1', 't-w1'), ...lost })
    assert.deepEqual([await outcomeOf(other, 'w2'), await outcomeOf(other, 'busy')], [undefined, 'busy'])
    assert.equal((await other.claimDial(dial('w1', 't9', 'h2'))).outcome, 'unknown')
    // A late webhook says how it ended.
    assert.equal(await other.settleDial('t-w1', { outcome: 'no-answer', call: 'CA1' }), true)
    assert.equal(await outcomeOf(journal, 'w1'), 'no-answer')
  }),

  journalCheck('calls an attempt unknown whose host is gone, until the host is back', async (journal) => {
    await joinAs(journal, 'h1')
    await journal.claimDial(dial('a', 't1'))
    assert.equal(await outcomeOf(journal, 'a'), undefined)
    await journal.leave('h1')
    assert.equal(await outcomeOf(journal, 'a'), 'unknown')
    await joinAs(journal, 'h1')
    assert.equal(await outcomeOf(journal, 'a'), undefined)
    assert.equal(await journal.settleDial('t1', { outcome: 'answered', call: 'CA1' }), true)
    await journal.leave('h1')
    assert.equal(await outcomeOf(journal, 'a'), 'answered')
  }),

  journalCheck('forgets attempts from before a time', async (journal) => {
    await joinAs(journal, 'h1')
    const { claimedAt } = await journal.claimDial(dial('a', 't1'))
    await journal.prune(claimedAt - LONG, 10)
    assert.ok(await journal.findDial({ key: 'a' }))
    await journal.prune(claimedAt + 1, 10)
    assert.equal(await journal.findDial({ key: 'a' }), undefined)
  }),
]
