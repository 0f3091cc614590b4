import assert from 'node:assert/strict'
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
  reportOf,
  write,
} from './samples.ts'
import { journalCheck, type JournalSubject } from './subject.ts'

/** Writes about calls: what is kept, that a repetition changes nothing, and that an old fence is refused. */
export const writeChecks: readonly Check<JournalSubject>[] = [
  journalCheck('keeps a call from its opening to its report', async (journal) => {
    await joinAs(journal, 'h1')
    const resume = { account: 'AC1', key: 'hash', sampleRate: 8_000 }
    const opened = newCall('c1', { from: 'phone …17', resume, trace: '00-ab-cd-01', work: ['save'] })
    assert.deepEqual(await write(journal, opens(opened)), ['written'])
    const { work: _, ...kept } = opened
    const record = { ...kept, host: 'h1', state: 'live', fence: 1 } as const
    assert.deepEqual(await journal.find('c1'), record)
    assert.equal(await journal.report('c1'), undefined)
    const entries = [message(1, 'hello'), message(2, 'good morning')]
    assert.deepEqual(await write(journal, appends('c1', 1, ...entries)), ['written'])
    assert.deepEqual(await journal.entries('c1'), entries)
    assert.deepEqual(await write(journal, closes('c1', 1)), ['written'])
    assert.deepEqual(await journal.report('c1'), reportOf('c1'))
    const { resume: __, ...rest } = record
    const ended = { endedAt: OPENED + 60_012, reason: 'caller-hung-up', clean: true }
    assert.deepEqual(await journal.find('c1'), { ...rest, state: 'closed', ...ended })
  }),

  journalCheck('writes a whole call in one batch', async (journal) => {
    const batch = [opens(newCall('c1')), appends('c1', 1, message(1, 'hi')), closes('c1', 1)]
    assert.deepEqual(await journal.write(batch), ['written', 'written', 'written'])
    assert.deepEqual(await journal.entries('c1'), [message(1, 'hi')])
    assert.deepEqual(await journal.report('c1'), reportOf('c1'))
    assert.deepEqual(await journal.write([]), [])
  }),

  journalCheck('judges each write of a batch by itself', async (journal) => {
    await write(journal, opens(newCall('c1')), opens(newCall('c2')))
    const batch = [appends('c1', 2, message(1, 'no')), appends('c2', 1, message(1, 'yes')), closes('c3', 1)]
    assert.deepEqual(await journal.write(batch), ['fenced', 'written', 'fenced'])
    assert.deepEqual(await journal.entries('c1'), [])
    assert.deepEqual(await journal.entries('c2'), [message(1, 'yes')])
    assert.equal(await journal.find('c3'), undefined)
  }),

  journalCheck('is the same after each write is repeated', async (journal) => {
    await joinAs(journal, 'h1')
    const opened = opens(newCall('c1', { work: ['save'] }))
    for (const _ of [1, 2]) assert.deepEqual(await write(journal, opened), ['written'])
    assert.equal((await journal.work({ call: 'c1' })).length, 1)
    for (const text of ['first', 'second'])
      assert.deepEqual(await write(journal, appends('c1', 1, message(1, text))), ['written'])
    assert.deepEqual(await journal.entries('c1'), [message(1, 'first')])
    for (const clean of [true, false])
      assert.deepEqual(await write(journal, closes('c1', 1, { clean })), ['written'])
    assert.equal((await journal.report('c1'))?.clean, true)
    const claim = { limit: 10, lease: LONG }
    assert.equal((await journal.claim('a', claim)).items.length, 1)
    await write(journal, closes('c1', 1))
    assert.equal((await journal.claim('a', claim)).items.length, 0)
  }),

  journalCheck('accepts entries again after the close, and refuses new ones', async (journal) => {
    await write(journal, opens(newCall('c1')), appends('c1', 1, message(1, 'hi')), closes('c1', 1))
    assert.deepEqual(await write(journal, appends('c1', 1, message(1, 'hi'))), ['written'])
    assert.deepEqual(await write(journal, appends('c1', 1, message(1, 'hi'), message(2, 'late'))), ['fenced'])
    assert.deepEqual(await journal.entries('c1'), [message(1, 'hi')])
    // A call that is opened again would never be written.
    assert.deepEqual(await write(journal, opens(newCall('c1'))), ['fenced'])
  }),

  journalCheck('refuses to open a call that another process serves', async (journal) => {
    await joinAs(journal, 'h1')
    await write(journal, opens(newCall('c1')))
    for (const owner of [ownerOn('h2'), ownerOn('h1', 'w2')])
      assert.deepEqual(await write(journal, opens(newCall('c1', { owner, work: ['other'] }))), ['fenced'])
    assert.deepEqual((await journal.find('c1'))?.owner, ownerOn('h1'))
    assert.deepEqual(await journal.work({ call: 'c1' }), [])
  }),

  journalCheck('refuses every write under an old fence', async (journal) => {
    await joinAs(journal, 'h1')
    await write(journal, opens(newCall('c1', { work: ['save'] })), appends('c1', 1, message(1, 'hi')))
    const [lost] = await journal.orphan('h1', 'w1')
    assert.equal(lost?.fence, 2)
    const old = [opens(newCall('c1')), appends('c1', 1, message(2, 'zombie')), closes('c1', 1)]
    assert.deepEqual(await journal.write(old), ['fenced', 'fenced', 'fenced'])
    // Not even a repetition: its writer must let go.
    assert.deepEqual(await write(journal, appends('c1', 1, message(1, 'hi'))), ['fenced'])
    assert.deepEqual(await journal.entries('c1'), [message(1, 'hi')])
    assert.equal((await journal.find('c1'))?.state, 'live')
    assert.equal((await journal.claim('a', { limit: 1, lease: LONG })).items.length, 0)
    assert.deepEqual(await write(journal, closes('c1', 2, { reason: 'host-lost' })), ['written'])
    assert.deepEqual(await write(journal, closes('c1', 1)), ['fenced'])
    assert.equal((await journal.report('c1'))?.reason, 'host-lost')
  }),

  journalCheck('opens a call once that is twice in a batch', async (journal) => {
    const by = (worker: string) => opens(newCall('c1', { owner: ownerOn('h1', worker), work: [worker] }))
    assert.deepEqual(await write(journal, by('w1'), by('w2'), by('w1')), ['written', 'fenced', 'written'])
    const work = await journal.work({ call: 'c1' })
    assert.deepEqual(
      work.map(({ handler }) => handler),
      ['w1'],
    )
  }),

  journalCheck('lets one of two owners at once open a call', async (journal, other) => {
    const by = (worker: string) => opens(newCall('c1', { owner: ownerOn('h1', worker), work: [worker] }))
    const results = await Promise.all([journal.write([by('w1')]), other.write([by('w2')])])
    assert.deepEqual(results.flat().toSorted(), ['fenced', 'written'])
    const winner = results[0][0] === 'written' ? 'w1' : 'w2'
    assert.equal((await journal.find('c1'))?.owner?.worker, winner)
    const work = await journal.work({ call: 'c1' })
    assert.deepEqual(
      work.map(({ handler }) => handler),
      [winner],
    )
  }),

  journalCheck('writes batches of the same calls at once, in any order', async (journal, other) => {
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
    await journal.write(ids.map((id) => opens(newCall(id))))
    const append = (order: readonly string[], seq: number) =>
      order.map((id) => appends(id, 1, message(seq, `${seq}`)))
    const all = await Promise.all(
      [1, 2, 3, 4].map((seq) =>
        (seq % 2 ? journal : other).write(append(seq % 2 ? ids : ids.toReversed(), seq)),
      ),
    )
    assert.ok(all.flat().every((result) => result === 'written'))
    for (const id of ids) assert.equal((await journal.entries(id)).length, 4)
  }),

  journalCheck('keeps any text', async (journal) => {
    const texts = [
      'Ünïcødé 🦷 ‮rtl',
      'nul \0 inside',
      'lone \uD800 surrogate',
      `quote ' " \\ \n {now} $1 ?`,
      '',
    ]
    await joinAs(journal, 'h1')
    await write(journal, opens(newCall('c1', { from: 'nul \0', agent: `'; drop table calls` })))
    await write(journal, appends('c1', 1, ...texts.map((text, index) => message(index + 1, text))))
    const transcript = texts.map((text, index) => message(index + 1, text).item)
    await write(journal, closes('c1', 1, { transcript, by: 'nul \0' }))
    const entries = await journal.entries('c1')
    assert.deepEqual(
      entries.map(({ item }) => item),
      transcript,
    )
    const report = await journal.report('c1')
    assert.deepEqual(report?.transcript, transcript)
    assert.equal(report?.by, 'nul \0')
    assert.equal((await journal.find('c1'))?.agent, `'; drop table calls`)
    assert.match((await journal.find('c1'))?.from ?? '', /^nul ./)
  }),

  journalCheck('keeps calls whatever their ids look like', async (journal) => {
    const ids = ['__proto__', 'constructor', 'toString', '100%_', `o'neil`, '名前', 'a/b', '{calls}', '$1']
    await joinAs(journal, 'h1')
    for (const id of ids) {
      await write(journal, opens(newCall(id, { work: [id, `${id}/x`] })))
      await write(journal, appends(id, 1, message(1, id)), closes(id, 1))
    }
    for (const id of ids) {
      assert.equal((await journal.find(id))?.id, id)
      assert.deepEqual(await journal.entries(id), [message(1, id)])
      assert.equal((await journal.work({ call: id })).length, 2)
    }
    const { items } = await journal.claim('a', { limit: 100, lease: LONG })
    assert.equal(new Set(items.map(({ key }) => key)).size, 2 * ids.length)
    assert.deepEqual(idsOf(await journal.list({})).toSorted(), ids.toSorted())
    assert.equal(await journal.find('hasOwnProperty'), undefined)
  }),

  journalCheck('keeps a report of a megabyte, and many entries', async (journal) => {
    const transcript = Array.from({ length: 300 }, (_, index) => message(index + 1, 'é'.repeat(2_000)).item)
    await write(journal, opens(newCall('c1')))
    const entries = Array.from({ length: 137 }, (_, index) => message(index + 1, `line ${index}`))
    await write(journal, appends('c1', 1, ...entries), closes('c1', 1, { transcript }))
    assert.deepEqual(await journal.entries('c1'), entries)
    assert.deepEqual((await journal.report('c1'))?.transcript, transcript)
  }),
]
