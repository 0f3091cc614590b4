import { describe, expect, it } from 'vitest'
import { samplesFromBytes } from '../../audio/index.ts'
import type { SocketEnd } from '../../scope/index.ts'
import { inVirtualTime, textOf, type World } from '../index.ts'
import type { InworldCreate, InworldEvent, InworldPayload, InworldRequest } from './inworld-events.ts'
import { InworldServer } from './inworld-server.ts'
import type { VoiceServerOptions } from './voice-server.ts'

const KEY = 'secret'
const PATH = '/tts/v1/voice:streamBidirectional'
const create: InworldCreate = {
  voiceId: 'any',
  modelId: 'any',
  audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 16_000 },
  timestampType: 'WORD',
  autoMode: true,
}

async function connect({ clock, network }: World, options: VoiceServerOptions = {}) {
  const server = new InworldServer({ clock, key: KEY, ...options })
  network.serve = server.serve
  const events: InworldEvent[] = []
  const ends: SocketEnd[] = []
  const socket = network.dial(
    { name: 'inworld', url: `wss://example.com${PATH}`, headers: { authorization: `Basic ${KEY}` } },
    {
      opened() {},
      message: (data) => events.push(JSON.parse(String(data)) as InworldEvent),
      ended: (end) => ends.push(end),
    },
  )
  await clock.elapse(10)
  const send = (request: InworldRequest): void => socket.send(JSON.stringify(request))
  const of = (id: string): (InworldPayload & { status: { code: number } })[] =>
    events.flatMap((event) => ('result' in event && event.result.contextId === id ? [event.result] : []))
  const spoken = (id: string): string =>
    textOf(
      of(id).flatMap(({ audioChunk }) =>
        audioChunk
          ? [
              {
                samples: samplesFromBytes(Buffer.from(audioChunk.audioContent, 'base64')),
                sampleRate: 16_000,
              },
            ]
          : [],
      ),
    )
  const wordsOf = (id: string) =>
    of(id).flatMap(({ audioChunk }) => audioChunk?.timestampInfo?.wordAlignment ?? [])
  return { server, socket, events, ends, send, of, spoken, wordsOf }
}

describe('the Inworld server', () => {
  it('speaks several contexts at once, and times the words of each part from its start', () =>
    inVirtualTime(async (world) => {
      const { socket, send, of, spoken, wordsOf } = await connect(world)
      for (const contextId of ['a', 'b']) send({ contextId, create })
      send({ contextId: 'a', send_text: { text: 'Good day. ' } })
      send({ contextId: 'a', send_text: { text: 'Yes.' } })
      send({ contextId: 'b', send_text: { text: 'Goodbye.' } })
      for (const contextId of ['a', 'b']) send({ contextId, flush_context: {} })
      for (const contextId of ['a', 'b']) send({ contextId, close_context: {} })
      await world.clock.elapse(300)
      expect(spoken('a')).toBe('Good day. Yes.')
      expect(spoken('b')).toBe('Goodbye.')
      expect(wordsOf('a')).toEqual([
        { words: ['Good', 'day.'], wordStartTimeSeconds: [0, 0.25], wordEndTimeSeconds: [0.2, 0.45] },
        { words: ['Yes.'], wordStartTimeSeconds: [0], wordEndTimeSeconds: [0.2] },
      ])
      expect(of('a')[0]).toMatchObject({ contextCreated: { voiceId: 'any' } })
      expect(of('a').filter(({ flushCompleted }) => flushCompleted)).toHaveLength(3)
      expect(of('a').at(-1)).toMatchObject({ contextClosed: {} })
      socket.abort()
    }))

  it('sends times after their audio with ASYNC, and with it without', () =>
    inVirtualTime(async (world) => {
      const { socket, send, of } = await connect(world)
      send({ contextId: 'a', create: { ...create, timestampTransportStrategy: 'ASYNC' } })
      send({ contextId: 'b', create })
      for (const contextId of ['a', 'b']) send({ contextId, send_text: { text: 'Good day.' } })
      await world.clock.elapse(200)
      const timed = (id: string): (string | undefined)[] =>
        of(id).flatMap(({ audioChunk }) => (audioChunk?.timestampInfo ? [audioChunk.audioContent] : []))
      expect(timed('a')).toEqual([''])
      expect(timed('b')[0]).not.toBe('')
      socket.abort()
    }))

  it('buffers text without autoMode, until it is flushed or there is enough of it', () =>
    inVirtualTime(async (world) => {
      const { socket, send, spoken } = await connect(world)
      for (const contextId of ['a', 'b'])
        send({ contextId, create: { ...create, autoMode: false, bufferCharThreshold: 10 } })
      send({ contextId: 'a', send_text: { text: 'Yes. ' } })
      send({ contextId: 'b', send_text: { text: 'Good morning. ' } })
      await world.clock.elapse(1_000)
      expect(spoken('a')).toBe('')
      expect(spoken('b')).toBe('Good morning. ')
      send({ contextId: 'a', send_text: { text: 'No.', flush_context: {} } })
      await world.clock.elapse(1_000)
      expect(spoken('a')).toBe('Yes. No.')
      socket.abort()
    }))

  it('drops what was not flushed when a context is closed, unless it `talks on`', () =>
    inVirtualTime(async (world) => {
      const { server, socket, send, of, spoken } = await connect(world)
      const cut = async (contextId: string): Promise<void> => {
        send({ contextId, create })
        send({ contextId, send_text: { text: 'Good morning to you.' } })
        await world.clock.elapse(20)
        send({ contextId, close_context: {} })
        await world.clock.elapse(1_000)
        expect(of(contextId).at(-1)).toMatchObject({ contextClosed: {} })
      }
      await cut('a')
      expect(spoken('a').length).toBeLessThan(10)
      server.rude.add('talks on')
      await cut('b')
      expect(spoken('b')).toBe('Good morning to you.')
      socket.abort()
    }))

  it('puts a header before every part of LINEAR16', () =>
    inVirtualTime(async (world) => {
      const { socket, send, of } = await connect(world)
      const audioConfig = { audioEncoding: 'LINEAR16', sampleRateHertz: 16_000 }
      send({ contextId: 'a', create: { ...create, audioConfig } })
      send({ contextId: 'a', send_text: { text: 'Yes.' } })
      await world.clock.elapse(100)
      const parts = of('a').flatMap(({ audioChunk }) => audioChunk?.audioContent ?? [])
      expect(parts).toHaveLength(2)
      for (const part of parts) expect(Buffer.from(part, 'base64').toString('latin1', 0, 4)).toBe('RIFF')
      socket.abort()
    }))

  it.each<[what: string, code: number, requests: InworldRequest[]]>([
    ['a sixth context', 8, ['b', 'c', 'd', 'e', 'f', 'a'].map((contextId) => ({ contextId, create }))],
    [
      'a second create',
      3,
      [
        { contextId: 'a', create },
        { contextId: 'a', create },
      ],
    ],
    ['a create without a voice', 3, [{ contextId: 'a', create: { ...create, voiceId: '' } }]],
    ['a create without a model', 3, [{ contextId: 'a', create: { ...create, modelId: '' } }]],
    ['an unknown encoding', 3, [{ contextId: 'a', create: { ...create, audioConfig: {} } }]],
    [
      'an unknown rate',
      3,
      [{ contextId: 'a', create: { ...create, audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 1 } } }],
    ],
    ['a text without a context', 5, [{ contextId: 'a', send_text: { text: 'Yes.' } }]],
    [
      'a long text',
      3,
      [
        { contextId: 'a', create },
        { contextId: 'a', send_text: { text: 'x'.repeat(1_001) } },
      ],
    ],
  ])('refuses %s, and keeps the connection', (_, code, requests) =>
    inVirtualTime(async (world) => {
      const { socket, of, ends, send } = await connect(world)
      for (const request of requests) send(request)
      await world.clock.elapse(50)
      expect(of('a').at(-1)).toMatchObject({ status: { code } })
      expect(ends).toEqual([])
      socket.abort()
    }),
  )

  it('closes the connection for a message that it cannot read, and after 10 minutes without one', () =>
    inVirtualTime(async (world) => {
      const unreadable = await connect(world)
      unreadable.socket.send('hello')
      await world.clock.elapse(10)
      expect(unreadable.events).toMatchObject([{ error: { code: 3 } }])
      expect(unreadable.ends).toMatchObject([{ how: 'closed', code: 1011 }])
      const idle = await connect(world)
      await world.clock.elapse(9 * 60_000)
      expect(idle.ends).toEqual([])
      await world.clock.elapse(2 * 60_000)
      expect(idle.ends).toMatchObject([{ how: 'closed', code: 1000 }])
    }))

  it.each<[what: string, path: string, key: string, status: number]>([
    ['no key', PATH, '', 401],
    ['another path', '/tts/v1/voice:stream', KEY, 404],
  ])('refuses a client with %s', (_, path, key, status) =>
    inVirtualTime(async ({ clock, network }) => {
      network.serve = new InworldServer({ clock, key: KEY }).serve
      const ends: SocketEnd[] = []
      const events = { opened() {}, message() {}, ended: (end: SocketEnd) => ends.push(end) }
      const headers = { authorization: `Basic ${key}` }
      network.dial({ name: 'x', url: `wss://example.com${path}`, headers }, events)
      await clock.elapse(10)
      expect(ends).toEqual([{ how: 'refused', status }])
    }),
  )
})
