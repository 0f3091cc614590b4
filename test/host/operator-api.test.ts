import { describe, expect, it } from 'vitest'
import { Archive } from '../../src/host/archive.ts'
import type { StoredReport } from '../../src/host/report-events.ts'
import type { LiveEvent, LiveMessage } from '../../src/host/index.ts'
import { Directory } from '../../src/host/fleet/directory.ts'
import { FleetDials } from '../../src/host/fleet/fleet-dials.ts'
import { FleetWrites } from '../../src/host/fleet/fleet-writes.ts'
import { Operations } from '../../src/host/fleet/operations.ts'
import { silentLogger } from '../../src/parts/index.ts'
import { Scope, systemClock } from '../../src/scope/index.ts'
import { samples } from '../../src/testing/journal-conformance/index.ts'
import { MemoryJournal } from '../../src/testing/memory-journal.ts'
import { Stage, messagesOf } from './stage.ts'

const { closes, joinAs, newCall, opens, ownerOn, write } = samples

/** A host `h1` beside another, `h2`, whose processes cannot be reached. */
async function openFleet(options: { readonly secret?: string } = {}) {
  let away = false
  const journal = new MemoryJournal({ fault: () => (away ? 'fail' : undefined) })
  await joinAs(journal, 'h1')
  await joinAs(journal, 'h2')
  const drained: string[] = []
  const own = () => ownerOn('h1')
  const directory = new Directory({ clock: systemClock, journal, own, reaches: async () => false })
  const stageScope = new Scope<string>('stage')
  const writes = new FleetWrites({ scope: stageScope, journal, logger: silentLogger })
  const fleet = {
    archive: new Archive(journal),
    directory,
    dials: new FleetDials({ clock: systemClock, journal, directory, own, writes }),
    writes,
    operations: new Operations({
      journal,
      own: { id: () => 'h1', drain: async () => drained.push('h1') },
    }),
  }
  const stage = await Stage.open({ fleet, scope: stageScope, ...options })
  const ask = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
    const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await stage.fetch(path, { method, ...text })
    return [response.status, await response.json()]
  }
  const code = (error: string): object => ({ error: expect.objectContaining({ code: error }) as unknown })
  return {
    journal,
    drained,
    ask,
    fetch: (path: string) => stage.fetch(path),
    code,
    setAway: (value: boolean) => (away = value),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

describe('a call that another process served, or that ended before a restart', () => {
  it('[ST3] is shown with everything that happened in it, in order', async () => {
    await using fleet = await openFleet()
    const { journal } = fleet
    const timeline: LiveEvent[] = [
      { at: 1, type: 'user', text: 'Hello?' },
      {
        at: 2,
        type: 'spoken',
        speech: 1,
        text: 'Good morning.',
        heard: 'Good',
        how: 'interrupted',
        confirmed: true,
      },
      { at: 3, type: 'line', connected: false },
    ]
    const stored: Partial<StoredReport> = { timeline }
    await write(journal, opens(newCall('c1')))
    await write(journal, closes('c1', 1, stored))
    const messages: LiveMessage[] = []
    for await (const message of messagesOf<LiveMessage>(await fleet.fetch('/api/sessions/c1/events')))
      messages.push(message)
    expect(messages).toMatchObject([
      { type: 'snapshot', events: timeline, latencies: [{ ms: 420 }] },
      { type: 'closed', report: { id: 'c1' } },
    ])
    const [, details] = await fleet.ask('GET', '/api/sessions/c1')
    expect(details).toMatchObject({ events: timeline, summary: { ended: 'hung-up' } })
    expect(details).not.toHaveProperty('report.timeline')
  })

  it('[ST3] is shown as far as its report says, if its process was killed', async () => {
    await using fleet = await openFleet()
    const { journal } = fleet
    const error = { name: 'Error', message: 'no voice' }
    await write(journal, opens(newCall('c1')))
    const startedAt = new Date(1_000).toISOString()
    await write(
      journal,
      closes('c1', 1, {
        startedAt,
        transcript: [
          { type: 'message', id: 'i1', at: 1_010, role: 'user', text: 'Hello?' },
          {
            type: 'tool',
            id: 'i2',
            at: 1_020,
            call: 'a',
            name: 'book',
            input: '{}',
            result: { output: 'yes', failed: false, at: 1_040 },
          },
          {
            type: 'message',
            id: 'i3',
            at: 1_050,
            role: 'agent',
            agent: 'desk',
            text: 'Good',
            interrupted: true,
          },
        ],
        errors: [{ where: 'tts', at: 30, error }],
        transfers: [{ to: '+49', at: 60, outcome: 'busy' }],
      }),
    )
    const [, details] = await fleet.ask('GET', '/api/sessions/c1')
    expect((details as { events: LiveEvent[] }).events).toMatchObject([
      { at: 1_010, type: 'user', text: 'Hello?' },
      { at: 1_020, type: 'tool', name: 'book' },
      { at: 1_030, type: 'error', where: 'tts', error },
      { at: 1_040, type: 'tool-done', output: 'yes' },
      { at: 1_050, type: 'spoken', heard: 'Good', how: 'interrupted', agent: 'desk' },
      { at: 1_060, type: 'transfer', to: '+49', outcome: 'busy' },
    ])
  })
})

describe('the API for operators', () => {
  it('[HO30] lists the hosts, and drains this one or another', async () => {
    await using fleet = await openFleet()
    const { ask, journal, drained, code } = fleet
    expect(await ask('GET', '/api/hosts')).toMatchObject([
      200,
      { own: 'h1', hosts: [{ id: 'h1' }, { id: 'h2' }] },
    ])
    expect(await ask('POST', '/api/drain', {})).toEqual([202, { host: 'h1' }])
    expect(drained).toEqual(['h1'])
    expect(await ask('POST', '/api/drain', { host: 'h2' })).toEqual([202, { host: 'h2' }])
    expect(await journal.beat('h2', 1_000)).toEqual({ orders: [], draining: true })
    expect(await ask('POST', '/api/drain', { host: 'h3' })).toEqual([404, code('NO_SUCH_HOST')])
  })

  it('[HO30] lists after-call work, and retries one piece, that of a call, or all that is dead', async () => {
    await using fleet = await openFleet()
    const { ask, journal } = fleet
    for (const id of ['c1', 'c2']) {
      await write(journal, opens(newCall(id, { owner: ownerOn('h1'), work: ['crm', 'mail'] })), closes(id, 1))
      const { items } = await journal.claim('w', { limit: 10, lease: 1_000 })
      for (const item of items) await journal.settle(item, { state: 'dead', error: 'unknown' })
    }
    const dead = async (): Promise<number> => {
      const [, answer] = await ask('GET', '/api/work?state=dead&limit=10')
      return (answer as { work: unknown[] }).work.length
    }
    expect(await dead()).toBe(4)
    const [, one] = await ask('GET', '/api/work?call=c1&limit=1')
    expect(one).toMatchObject({
      work: [{ call: 'c1', state: 'dead', error: 'unknown' }],
      counts: { dead: 4 },
    })
    const { key } = (one as { work: { key: string }[] }).work[0]!
    expect(await ask('POST', '/api/work/retry', { key })).toEqual([200, { retried: 1 }])
    expect(await ask('POST', '/api/work/retry', { call: 'c2' })).toEqual([200, { retried: 2 }])
    expect(await ask('POST', '/api/work/retry', { dead: true })).toEqual([200, { retried: 1 }])
    expect(await dead()).toBe(0)
  })

  it('[HO30] leaves an order in the journal for a process that cannot be reached', async () => {
    await using fleet = await openFleet()
    const { ask, journal, code } = fleet
    await write(journal, opens(newCall('c1', { owner: ownerOn('h2') })))
    expect(await ask('POST', '/api/sessions/c1/close')).toEqual([202, { ordered: true }])
    expect((await journal.beat('h2', 1_000))?.orders).toEqual([{ call: 'c1', order: 'close' }])
    await journal.orphan('h2', 'w1')
    expect(await ask('POST', '/api/sessions/c1/close')).toEqual([409, code('HOST_LOST')])
    await write(journal, closes('c1', 2))
    expect(await ask('POST', '/api/sessions/c1/close')).toEqual([409, code('SESSION_CLOSED')])
    expect(await ask('POST', '/api/sessions/c9/close')).toEqual([404, code('NO_SUCH_SESSION')])
    expect(await ask('GET', '/api/sessions?limit=1')).toMatchObject([200, { sessions: [{ id: 'c1' }] }])
  })

  it.each<readonly [method: string, path: string, body: unknown]>([
    ['POST', '/api/drain', undefined],
    ['POST', '/api/drain', '{'],
    ['POST', '/api/drain', []],
    ['POST', '/api/drain', { host: '' }],
    ['POST', '/api/drain', { host: true }],
    ['POST', '/api/drain', { hots: 'h1' }],
    ['POST', '/api/drain', { host: 'x'.repeat(300) }],
    ['POST', '/api/work/retry', {}],
    ['POST', '/api/work/retry', { key: true }],
    ['POST', '/api/work/retry', { key: 'a', call: 'b' }],
    ['POST', '/api/work/retry', { dead: 'yes' }],
    ['GET', '/api/work?state=late', undefined],
    ['GET', '/api/work?limit=0', undefined],
    ['GET', '/api/work?limit=1e9', undefined],
    ['GET', `/api/work?call=${'x'.repeat(300)}`, undefined],
    ['GET', '/api/sessions?limit=-1', undefined],
  ])('[HO30] [HO8] refuses a malformed request: %s %s %j', async (method, path, body) => {
    await using fleet = await openFleet()
    expect((await fleet.ask(method, path, body))[0]).toBe(400)
    expect(fleet.drained).toEqual([])
  })

  it('[HO30] answers with 503 while the journal is away', async () => {
    await using fleet = await openFleet()
    fleet.setAway(true)
    const unavailable = [503, fleet.code('JOURNAL_UNAVAILABLE')]
    expect(await fleet.ask('GET', '/api/hosts')).toEqual(unavailable)
    expect(await fleet.ask('GET', '/api/sessions')).toEqual(unavailable)
    expect(await fleet.ask('POST', '/api/sessions/c1/close')).toEqual(unavailable)
    expect(await fleet.ask('POST', '/api/work/retry', { dead: true })).toEqual(unavailable)
  })

  it('[HO30] is behind the gate', async () => {
    await using fleet = await openFleet({ secret: 'a secret of sixteen' })
    for (const [method, path] of [
      ['GET', '/api/hosts'],
      ['GET', '/api/work'],
      ['POST', '/api/drain'],
      ['POST', '/api/work/retry'],
    ] as const)
      expect(await fleet.ask(method, path, method === 'POST' ? {} : undefined)).toEqual([
        401,
        fleet.code('UNAUTHORISED'),
      ])
    expect(fleet.drained).toEqual([])
  })
})
