import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ListMessage, LiveMessage, SessionSummary } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { Stage, messagesOf, emitted } from './stage.ts'

const post = { method: 'POST' }
const json = (body: object, method: 'POST' | 'PUT' = 'PUT'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

describe('a host over HTTP', () => {
  it('describes itself', async () => {
    await using stage = await Stage.open({
      info: {
        name: 'Bright Dental',
        version: '1.2.3',
        mode: 'production',
        models: { llm: 'scripted' },
        rate: 16_000,
      },
    })
    const response = await stage.fetch('/api/info')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      name: 'Bright Dental',
      version: '1.2.3',
      mode: 'production',
      models: { llm: 'scripted' },
      rate: 16_000,
      faults: [],
    })
  })

  it('lists sessions, newest first, and returns the report of a closed one', async () => {
    await using stage = await Stage.open()
    const first = stage.call({ id: 'first', answers: ['We open at eight.'] })
    const second = stage.call({ id: 'second' })
    await Promise.all([first.session.start(), second.session.start()])
    const spoken = emitted(first.session, 'spoken')
    first.caller.types('When do you open?')
    await spoken
    await first.session.close()

    const list = async (query = ''): Promise<string[]> => {
      const response = await stage.fetch(`/api/sessions${query}`)
      const { sessions } = (await response.json()) as { sessions: { id: string }[] }
      return sessions.map(({ id }) => id)
    }
    expect(await list()).toEqual(['second', 'first'])
    expect(await list('?state=live')).toEqual(['second'])
    expect(await list('?state=closed&clean=true')).toEqual(['first'])
    expect(await list('?clean=false')).toEqual([])
    expect(await list('?q=do%20you%20OPEN')).toEqual(['first'])

    const details = await (await stage.fetch('/api/sessions/first')).json()
    expect(details).toMatchObject({
      summary: { id: 'first', agent: 'desk', from: 'browser', state: 'closed', turns: 1, clean: true },
      report: { id: 'first', reason: 'requested' },
      text: expect.stringContaining('session first · requested'),
    })
    const live = await (await stage.fetch('/api/sessions/second')).json()
    expect(live).toEqual({
      events: [expect.objectContaining({ state: 'live' })],
      summary: expect.objectContaining({ id: 'second', state: 'live' }),
    })
  })

  it('[ST5] lists the sessions in which something went wrong, and the longest first', async () => {
    await using stage = await Stage.open()
    const long = stage.call({ id: 'long', answers: ['We open at eight.'] })
    await long.session.start()
    const known = emitted(long.session, 'latency')
    long.caller.types('When do you open?')
    await known
    const short = stage.call({ id: 'short' })
    await short.session.start()
    short.session.reportError('crm', new Error('no answer'))
    await short.session.close()
    await long.session.close()
    stage.call({ id: 'live' })
    const list = async (query: string) => {
      const answer = await stage.fetch(`/api/sessions?${query}`)
      return ((await answer.json()) as { sessions: SessionSummary[] }).sessions.map(({ id }) => id)
    }
    expect(await list('')).toEqual(['live', 'short', 'long'])
    expect(await list('sort=longest')).toEqual(['long', 'short'])
    expect(await list('sort=slowest')).toEqual(['long'])
    expect(await list('sort=dearest')).toEqual([])
    expect(await list('wrong=true')).toEqual(['short'])
    expect(await list('wrong=false&since=1')).toEqual(['long'])
  })

  it('lists the sessions that are older than one of them: the next page', async () => {
    await using stage = await Stage.open()
    for (const id of ['a', 'b', 'c']) stage.call({ id })
    const list = async (query: string) => {
      const answer = await stage.fetch(`/api/sessions${query}`)
      return ((await answer.json()) as { sessions: SessionSummary[] }).sessions
    }
    const all = await list('')
    const [{ addedAt, id }] = all as [SessionSummary]
    const older = await list(`?before=${addedAt}&beforeId=${id}&limit=1`)
    expect(older).toHaveLength(1)
    expect(all.slice(1).map((each) => each.id)).toContain(older[0]!.id)
    expect((await stage.fetch('/api/sessions?before=yesterday')).status).toBe(400)
  })

  it.each([
    '?state=ending',
    '?clean=maybe',
    '?wrong=so',
    '?sort=prettiest',
    '?since=monday',
    `?q=${'x'.repeat(201)}`,
  ])('rejects the query %s', async (query) => {
    await using stage = await Stage.open()
    const response = await stage.fetch(`/api/sessions${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'BAD_OPTION' } })
  })

  it.each([
    ['GET', '/api/sessions/unknown'],
    ['GET', '/api/sessions/unknown/events'],
    ['POST', '/api/sessions/unknown/close'],
    ['GET', '/api/nothing'],
    ['GET', '/nothing'],
  ])('responds with 404 to %s %s', async (method, path) => {
    await using stage = await Stage.open()
    expect((await stage.fetch(path, { method })).status).toBe(404)
  })

  it('streams the list of sessions and its changes', async () => {
    await using stage = await Stage.open()
    const messages = messagesOf<ListMessage>(await stage.fetch('/api/events'))
    expect((await messages.next()).value).toEqual({ type: 'sessions', sessions: [] })
    const { session } = stage.call({ id: 'one' })
    await session.start()
    await session.close()
    const states: string[] = []
    for await (const message of messages) {
      if (message.type !== 'session') continue
      states.push(message.session.state)
      if (message.session.state === 'closed') break
    }
    expect(states).toEqual(['new', 'live', 'closing', 'closed'])
  })

  it('closes, drains and interrupts a session', async () => {
    await using stage = await Stage.open()
    const one = stage.call({ id: 'one' })
    const two = stage.call({ id: 'two', msPerCharacter: 50 })
    await Promise.all([one.session.start(), two.session.start()])

    const speech = two.session.say('This is a very long sentence that will be interrupted.')
    await two.caller.hears()
    expect((await stage.fetch('/api/sessions/two/interrupt', post)).status).toBe(202)
    expect(speech.interrupted).toBe(true)

    const firm = two.session.say('Please listen to me.', { interruptible: false })
    const refused = await stage.fetch('/api/sessions/two/interrupt', post)
    expect(refused.status).toBe(409)
    expect(firm.interrupted).toBe(false)

    const closed = emitted(one.session, 'closed')
    expect((await stage.fetch('/api/sessions/one/close', post)).status).toBe(202)
    await closed
    const again = await stage.fetch('/api/sessions/one/close', post)
    expect([again.status, await again.json()]).toMatchObject([409, { error: { code: 'SESSION_CLOSED' } }])

    const drained = emitted(two.session, 'closed')
    expect((await stage.fetch('/api/sessions/two/drain', post)).status).toBe(202)
    await drained
    const { report } = (await (await stage.fetch('/api/sessions/two')).json()) as { report: { by: string } }
    expect(report.by).toBe('studio')
  })
})

describe('the event stream of a session', () => {
  it('starts with a snapshot, continues with batches, and ends with the report', async () => {
    await using stage = await Stage.open()
    // The tool runs until a batch shows it: things that come and go between two batches are left out.
    let shown = (): void => {}
    const isShown = new Promise<void>((resolve) => (shown = resolve))
    const run = (): Promise<string> => isShown.then(() => 'ten')
    const call = stage.call({
      id: 'one',
      answers: [['Let me see. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten.'],
      agent: { tools: { findSlot: tool({ description: 'Finds a slot', run }) } },
    })
    await call.session.start()
    const messages = messagesOf<LiveMessage>(await stage.fetch('/api/sessions/one/events'))
    const first = (await messages.next()).value as LiveMessage
    expect(first).toMatchObject({
      type: 'snapshot',
      summary: { id: 'one', state: 'live' },
      events: [{ type: 'state', state: 'live' }],
      tree: { name: 'session one', state: 'live' },
    })

    call.caller.types('Monday?')
    const events: string[] = []
    let last: LiveMessage | undefined
    for await (const message of messages) {
      last = message
      if (message.type !== 'batch') continue
      events.push(...message.events.map(({ type }) => type))
      if (message.changes.some((change) => change.type === 'added' && change.name === 'tool findSlot'))
        shown()
      const done = message.events.some((event) => event.type === 'spoken' && event.heard === 'Monday at ten.')
      if (done) call.session.close().catch(() => {})
    }
    expect(events).toEqual(
      expect.arrayContaining(['user', 'tool', 'tool-done', 'speaking', 'spoken', 'latency', 'state']),
    )
    expect(last).toMatchObject({ type: 'closed', summary: { clean: true }, report: { id: 'one' } })
  })

  it('sends the transcript and the report of a closed session, and ends', async () => {
    await using stage = await Stage.open()
    const { session, caller } = stage.call({ id: 'one', answers: ['Hello.'] })
    await session.start()
    const spoken = emitted(session, 'spoken')
    caller.types('Hello?')
    await spoken
    await session.close()
    const all: LiveMessage[] = []
    for await (const message of messagesOf<LiveMessage>(await stage.fetch('/api/sessions/one/events')))
      all.push(message)
    const [snapshot] = all
    expect(snapshot?.type === 'snapshot' && snapshot.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['user', 'speaking', 'spoken']),
    )
    expect(all).toMatchObject([
      { type: 'snapshot', events: expect.anything() },
      { type: 'closed', report: { id: 'one' } },
    ])
  })

  it('is refused while there are too many streams', async () => {
    await using stage = await Stage.open({ maxStreams: 1 })
    const messages = messagesOf<ListMessage>(await stage.fetch('/api/events'))
    await messages.next()
    const refused = await stage.fetch('/api/events')
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { code: 'TOO_MANY_STREAMS' } },
    ])
    const left = new Promise<void>((resolve) => {
      const inspection = stage.scope.inspect(({ type, name }) => {
        if (type !== 'ended' || name !== 'stream of sessions') return
        inspection.stop()
        resolve()
      })
    })
    await messages.return(undefined)
    await left
    const response = await stage.fetch('/api/events')
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })
})

describe('the faults of a host', () => {
  const board = () => {
    const set: string[][] = []
    return {
      set,
      board: {
        list: () => [{ name: 'stt-close-hangs', about: 'STT does not close' }],
        set: (names: readonly string[]) => set.push([...names]),
      },
    }
  }

  it('are switched by name and streamed to all clients', async () => {
    const { board: faults, set } = board()
    await using stage = await Stage.open({ faults })
    const messages = messagesOf<ListMessage>(await stage.fetch('/api/events'))
    const response = await stage.fetch('/api/faults', json({ names: ['stt-close-hangs'] }))
    const on = [{ name: 'stt-close-hangs', about: 'STT does not close', on: true }]
    expect(await response.json()).toEqual({ faults: on })
    expect(set).toEqual([['stt-close-hangs']])
    expect(await (await stage.fetch('/api/info')).json()).toMatchObject({ faults: on })
    for await (const message of messages) {
      if (message.type === 'faults' && message.faults[0]?.on) break
    }
  })

  it.each([{ names: ['no-such'] }, { names: 'all' }, { names: [1] }, {}])('reject %j', async (body) => {
    const { board: faults, set } = board()
    await using stage = await Stage.open({ faults })
    expect((await stage.fetch('/api/faults', json(body))).status).toBe(400)
    expect(set).toEqual([])
  })

  it('do not exist in production', async () => {
    const info = { name: 'x', version: '1', mode: 'production' as const }
    await using stage = await Stage.open({ info })
    expect((await stage.fetch('/api/faults', json({ names: [] }))).status).toBe(404)
    const { board: faults } = board()
    await expect(Stage.open({ info, faults })).rejects.toThrow('production')
  })
})

describe('an HTTP server', () => {
  it('rejects with a clear message if its port is in use', async () => {
    await using stage = await Stage.open()
    const { port } = stage.server
    await expect(Stage.open({ port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining(`port ${port} of 127.0.0.1: it is in use`),
    })
  })

  it('ends its streams and idle connections at once when its scope closes', async () => {
    const scope = new Scope('stage', { closeTimeout: 2_000 })
    const stage = await Stage.open({ scope })
    const { session } = stage.call()
    await session.start()
    const streams = await Promise.all([
      stage.fetch('/api/events'),
      stage.fetch(`/api/sessions/${session.id}/events`),
      stage.fetch('/api/info'),
    ])
    await session.close()
    const report = await scope.close()
    expect({ clean: report.clean, left: stage.server.connections }).toEqual({ clean: true, left: 0 })
    expect(report.took).toBeLessThan(1_000)
    await Promise.all(streams.map((stream) => stream.text()))
    await expect(stage.fetch('/api/info')).rejects.toThrow('fetch failed')
  })

  it('does not wait for the first request of a connection when its scope closes: browsers connect in advance', async () => {
    const scope = new Scope('stage', { closeTimeout: 2_000 })
    const stage = await Stage.open({ scope })
    const socket = connect(stage.server.port, '127.0.0.1')
    const closed = once(socket, 'close')
    // The server takes connections in their order.
    await once(socket, 'connect')
    await (await stage.fetch('/api/info')).text()
    expect(stage.server.hasUnused).toBe(true)
    const { clean, took } = await scope.close()
    expect(clean).toBe(true)
    expect(took).toBeLessThan(1_000)
    await closed
  })

  it('cuts a connection that does not end in time', async () => {
    const scope = new Scope('stage', { closeTimeout: 200 })
    const stage = await Stage.open({
      scope,
      upgrade: (_, socket) => socket.write('HTTP/1.1 101 Yes\r\n\r\n'),
    })
    const socket = connect(stage.server.port, '127.0.0.1')
    const closed = new Promise((resolve) => {
      socket.once('close', resolve)
    })
    socket.on('error', () => {})
    socket.write(`GET /call HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    await new Promise((resolve) => {
      socket.once('data', resolve)
    })
    const report = await scope.close()
    expect(report.steps).toMatchObject([{ name: 'http server', outcome: 'timed-out', forced: true }])
    await Promise.all([closed, stage.server.close()])
    expect(stage.server.connections).toBe(0)
  })

  it('refuses WebSocket upgrades without an `upgrade` handler', async () => {
    await using stage = await Stage.open()
    const socket = connect(stage.server.port, '127.0.0.1')
    socket.write(`GET /call HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    const answer = await new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(String(data)))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    socket.destroy()
  })
})
