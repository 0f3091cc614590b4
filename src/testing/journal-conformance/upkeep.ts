import assert from 'node:assert/strict'
import type { CallSummary, CallWrite, WorkOutcome } from '../../host/journal/index.ts'
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
  textOf,
  toolCall,
  write,
} from './samples.ts'
import { journalCheck, type JournalSubject } from './subject.ts'

/** Reading calls, and removing them or what was said in them. */
export const upkeepChecks: readonly Check<JournalSubject>[] = [
  journalCheck('lists calls, newest first, by state and by how they ended', async (journal) => {
    for (const [index, id] of ['c1', 'c2', 'c3', 'c4'].entries())
      await write(journal, opens(newCall(id, { openedAt: OPENED + index })))
    await write(journal, closes('c1', 1), closes('c2', 1, { clean: false }))
    const list = async (query: Parameters<typeof journal.list>[0]) => idsOf(await journal.list(query))
    assert.deepEqual(await list({}), ['c4', 'c3', 'c2', 'c1'])
    assert.deepEqual(await list({ state: 'live' }), ['c4', 'c3'])
    assert.deepEqual(await list({ state: 'closed' }), ['c2', 'c1'])
    assert.deepEqual(await list({ clean: false }), ['c2'])
    assert.deepEqual(await list({ clean: true }), ['c1'])
    assert.deepEqual(await list({ limit: 1 }), ['c4'])
    assert.deepEqual(await list({ before: OPENED + 2, limit: 1 }), ['c2'])
    assert.deepEqual(await journal.find('c2'), (await journal.list({ clean: false }))[0])
  }),

  journalCheck(
    'lists calls in which something went wrong, the slowest, the dearest and the longest',
    async (journal) => {
      const summaries: readonly CallSummary[] = [
        { lived: 9_000, latency: { p95: 800 }, cost: { total: 0.000_25 } },
        { lived: 90_000, latency: { p95: 12_000 }, cost: { total: 0.01 } },
        { lived: 10_000, failedTools: ['book'], latency: { p95: 1_500 } },
        // A caller can say what a database cannot read as JSON.
        { lived: 5, words: 'NUL \0 and half an emoji \ud83d' },
        {},
      ]
      for (const [index, summary] of summaries.entries()) {
        await write(journal, opens(newCall(`c${index}`, { openedAt: OPENED + index })))
        const clean = index !== 1
        await write(journal, { ...closes(`c${index}`, 1, { clean }), summary } as CallWrite)
      }
      await write(journal, opens(newCall('live', { openedAt: OPENED + 9 })))
      const list = async (query: Parameters<typeof journal.list>[0]) => idsOf(await journal.list(query))
      assert.deepEqual(await list({ wrong: true }), ['c2', 'c1'])
      assert.deepEqual(await list({ wrong: false }), ['c4', 'c3', 'c0'])
      assert.deepEqual(await list({ sort: 'newest', limit: 2 }), ['live', 'c4'])
      assert.deepEqual(await list({ sort: 'slowest' }), ['c1', 'c2', 'c0'])
      assert.deepEqual(await list({ sort: 'dearest' }), ['c1', 'c0'])
      assert.deepEqual((await list({ sort: 'longest' })).slice(0, 3), ['c1', 'c2', 'c0'])
      assert.deepEqual(await list({ sort: 'longest', wrong: true, words: 'desk', limit: 1 }), ['c1'])
      assert.deepEqual(await list({ since: OPENED + 3 }), ['live', 'c4', 'c3'])
      assert.deepEqual(await list({ since: OPENED + 1, wrong: true, before: OPENED + 2 }), ['c1'])
    },
  ),

  journalCheck('lists every call once, page by page, even if many opened at once', async (journal) => {
    const ids = Array.from({ length: 10 }, (_, index) => `c${index}`)
    await journal.write(ids.map((id, index) => opens(newCall(id, { openedAt: OPENED + (index >> 2) }))))
    const seen: string[] = []
    for (let page = await journal.list({ limit: 3 }); page.length > 0;) {
      seen.push(...idsOf(page))
      const { openedAt: before, id: beforeId } = page.at(-1)!
      page = await journal.list({ limit: 3, before, beforeId })
    }
    assert.deepEqual(seen, ids.toReversed())
  }),

  journalCheck('finds calls by their id, agent, caller, reason, and by what was said', async (journal) => {
    await write(journal, opens(newCall('CA12', { agent: 'Front desk', from: 'phone …17' })))
    await write(journal, opens(newCall('CA34', { agent: 'billing', openedAt: OPENED + 1 })))
    const said = [message(1, 'My tooth hurts, 100% sure'), message(2, 'Grüß Gott ÄÖÜ')]
    await write(journal, appends('CA34', 1, ...said), closes('CA34', 1, { reason: 'idle' }))
    const find = async (words: string) => idsOf(await journal.list({ words }))
    assert.deepEqual(await find('ca12'), ['CA12'])
    assert.deepEqual(await find('DESK'), ['CA12'])
    assert.deepEqual(await find('…17'), ['CA12'])
    assert.deepEqual(await find('Idle'), ['CA34'])
    assert.deepEqual(await find(' TOOTH hurts '), ['CA34'])
    assert.deepEqual(await find('grüß gott äöü'), ['CA34'])
    assert.deepEqual(await find('100%'), ['CA34'])
    assert.deepEqual(await find('0%s'), [])
    assert.deepEqual(await find('_ooth'), [])
    assert.deepEqual(await find(`'`), [])
    assert.deepEqual(await find('!'), [])
    assert.deepEqual(await find('CA'), ['CA34', 'CA12'])
    assert.deepEqual(await find('  '), ['CA34', 'CA12'])
    assert.deepEqual(idsOf(await journal.list({ words: 'ca', state: 'live' })), ['CA12'])
    assert.deepEqual(idsOf(await journal.list({ words: 'ca', limit: 1 })), ['CA34'])
  }),

  journalCheck('deletes old calls whose work has ended, with all that belongs to them', async (journal) => {
    const day = 86_400_000
    const asked = (days: number) => ({ askedAt: new Date(OPENED + days * day).toISOString() })
    for (const [id, days] of [
      ['old', 1],
      ['older', 0],
      ['waiting', 0],
      ['working', 0],
      ['young', 9],
    ] as const)
      await write(
        journal,
        opens(newCall(id, { work: id === 'young' ? [] : ['save'] })),
        appends(id, 1, message(1, 'hi')),
        closes(id, 1, asked(days)),
      )
    await write(journal, opens(newCall('live')))
    const outcomes: Readonly<Record<string, WorkOutcome>> = {
      old: { state: 'dead', error: 'no' },
      older: { state: 'done' },
      waiting: { state: 'waiting', delay: LONG, error: 'later' },
    }
    for (const item of (await journal.claim('a', { limit: 10, lease: LONG })).items) {
      const outcome = outcomes[item.call]
      if (outcome) await journal.settle(item, outcome)
    }
    assert.equal(await journal.prune(OPENED - day, 10), 0)
    assert.equal(await journal.prune(OPENED + 5 * day, 1), 1)
    assert.equal(await journal.prune(OPENED + 5 * day, 10), 1)
    assert.equal(await journal.prune(OPENED + 5 * day, 10), 0)
    assert.deepEqual(idsOf(await journal.list({})).toSorted(), ['live', 'waiting', 'working', 'young'])
    assert.deepEqual(await journal.entries('old'), [])
    assert.deepEqual(await journal.work({ call: 'old' }), [])
    assert.equal(await journal.report('old'), undefined)
  }),

  journalCheck('[RC2] adds the recordings of a carrier to the report of a call', async (journal) => {
    await write(journal, opens(newCall('c1')))
    assert.equal(await journal.addRecording('nobody', { id: 'RE1', url: 'https://a/1' }), false)
    assert.equal(await journal.addRecording('c1', { id: 'RE1', url: 'https://a/1', duration: 4_000 }), true)
    await write(journal, closes('c1', 1, { recordings: [{ place: 'own.wav', complete: true }] }))
    for (const id of ['RE2', 'RE2', 'RE1']) assert.equal(await journal.addRecording('c1', { id }), true)
    assert.deepEqual((await journal.report('c1'))?.recordings, [
      { place: 'own.wav', complete: true },
      { place: 'https://a/1', complete: true },
      { complete: false },
    ])
    await journal.prune(OPENED + 1e9, 10)
    assert.equal(await journal.report('c1'), undefined)
  }),

  journalCheck('removes what was said in a call, and keeps the rest', async (journal) => {
    const entries = [message(1, 'my secret'), toolCall(2, '{"pin":"secret"}', 'secret balance')]
    const transcript = entries.map(({ item }) => item)
    const guardrails = [{ name: 'pins', on: 'input', verdict: 'said secret' } as const]
    await write(journal, opens(newCall('c1', { work: ['save'] })), appends('c1', 1, ...entries))
    await write(journal, opens(newCall('c2')), appends('c2', 1, message(1, 'my secret')))
    // A host adds the events of the call to its report.
    const timeline = { timeline: [{ at: 1, type: 'user', text: 'my secret' }] }
    const summary = { turns: 1 }
    const close = closes('c1', 1, { transcript, guardrails, ...timeline })
    await write(journal, { ...close, summary: { ...summary, words: 'my secret' } } as CallWrite)
    const before = { ...(await journal.find('c1')), summary }
    assert.equal(await journal.redact('c1'), true)
    assert.equal(await journal.redact('none'), false)
    const left = [await journal.report('c1'), await journal.entries('c1')]
    assert.ok(!JSON.stringify(left).includes('secret'))
    assert.deepEqual(
      (await journal.entries('c1')).map(({ seq, at, item }) => [seq, at, item.id, item.type]),
      entries.map(({ seq, at, item }) => [seq, at, item.id, item.type]),
    )
    const report = await journal.report('c1')
    assert.equal(report?.transcript.length, 2)
    assert.deepEqual(report?.turns, [
      { latency: 420, at: 1_000, stages: { model: 300, voice: 120 }, heard: 'confirmed', by: 'reply' },
    ])
    assert.deepEqual(await journal.find('c1'), before)
    assert.deepEqual(idsOf(await journal.list({ words: 'secret' })), ['c2'])
    const { items } = await journal.claim('a', { limit: 1, lease: LONG })
    assert.ok(!JSON.stringify(items).includes('secret'))
  }),

  journalCheck('removes what is said after a live call was redacted', async (journal) => {
    await write(journal, opens(newCall('c1')), appends('c1', 1, message(1, 'my secret')))
    await journal.redact('c1')
    await write(journal, appends('c1', 1, message(1, 'my secret'), message(2, 'another secret')))
    const close = closes('c1', 1, { transcript: [message(1, 'my secret').item] })
    await write(journal, { ...close, summary: { words: 'my secret' } } as CallWrite)
    assert.deepEqual((await journal.find('c1'))?.summary, {})
    const entries = await journal.entries('c1')
    assert.equal(entries.length, 2)
    const texts = [...entries.map(({ item }) => textOf(item)), JSON.stringify(await journal.report('c1'))]
    assert.ok(!texts.join('\n').includes('secret'), texts.join('\n'))
    assert.deepEqual(await journal.list({ words: 'secret' }), [])
  }),

  journalCheck('answers a request after its close with JOURNAL_UNAVAILABLE', async (journal) => {
    await joinAs(journal, 'h1')
    await journal.close()
    await journal.close()
    const unavailable = { code: 'JOURNAL_UNAVAILABLE' }
    await assert.rejects(journal.beat('h1', LONG), unavailable)
    await assert.rejects(journal.find('c1'), unavailable)
    await assert.rejects(write(journal, opens(newCall('c1'))), unavailable)
  }),
]
