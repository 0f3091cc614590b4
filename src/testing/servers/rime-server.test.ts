import { describe, expect, it } from 'vitest'
import { samplesFromBytes } from '../../audio/index.ts'
import type { SocketEnd } from '../../scope/index.ts'
import { inVirtualTime, textOf, type World } from '../index.ts'
import type { RimeEvent, RimeRequest } from './rime-events.ts'
import { RimeServer, type RimeServerOptions } from './rime-server.ts'

const KEY = 'secret'
const audioParameters = { audioFormat: 'audio/pcm', samplingRate: 16_000 }
const start = { speaker: 'any', audioParameters, timestamps: { enable: true } }

async function connect({ clock, network }: World, options: RimeServerOptions = {}) {
  const server = new RimeServer({ clock, key: KEY, ...options })
  network.serve = server.serve
  const events: RimeEvent[] = []
  const ends: SocketEnd[] = []
  const socket = network.dial(
    { name: 'rime', url: 'wss://example.com/ws', headers: { authorization: `Bearer ${KEY}` } },
    {
      opened() {},
      message: (data) => events.push(JSON.parse(String(data)) as RimeEvent),
      ended: (end) => ends.push(end),
    },
  )
  await clock.elapse(10)
  const send = (request: RimeRequest): void => socket.send(JSON.stringify(request))
  const of = (id: string): RimeEvent[] =>
    events.filter((event) => 'contextId' in event && event.contextId === id)
  const spoken = (id: string): string =>
    textOf(
      of(id).flatMap((event) =>
        'audio' in event
          ? [{ samples: samplesFromBytes(Buffer.from(event.audio, 'base64')), sampleRate: 16_000 }]
          : [],
      ),
    )
  return { server, socket, events, ends, send, of, spoken }
}

describe('the Rime server', () => {
  it('announces that it is ready, and speaks several contexts at once', () =>
    inVirtualTime(async (world) => {
      const { socket, events, send, of, spoken } = await connect(world)
      expect(events).toMatchObject([{ ready: { protocol: 1 } }])
      for (const contextId of ['a', 'b']) send({ contextId, start })
      send({ contextId: 'a', text: 'Good morning.' })
      send({ contextId: 'b', text: 'Goodbye.' })
      for (const contextId of ['a', 'b']) send({ contextId, end: {} })
      await world.clock.elapse(200)
      expect(spoken('a')).toBe('Good morning.')
      expect(spoken('b')).toBe('Goodbye.')
      expect(of('a')[0]).toMatchObject({ started: { requestId: 'request-a' } })
      expect(of('a').at(-1)).toEqual({
        contextId: 'a',
        done: {
          timestamps: {
            status: { code: 0 },
            spans: [
              { text: 'Good', start: '0.000s', end: '0.200s' },
              { text: 'morning.', start: '0.250s', end: '0.650s' },
            ],
          },
        },
      })
      socket.abort()
    }))

  it('speaks a whole text without an end, and sends no times that were not asked for', () =>
    inVirtualTime(async (world) => {
      const { socket, send, of, spoken } = await connect(world)
      send({ contextId: 'a', start: { speaker: 'any', audioParameters, text: 'Yes.' } })
      await world.clock.elapse(100)
      expect(spoken('a')).toBe('Yes.')
      expect(of('a').at(-1)).toEqual({ contextId: 'a', done: {} })
      socket.abort()
    }))

  it('cancels a context at once unless it `talks on`, and confirms it for unknown contexts, too', () =>
    inVirtualTime(async (world) => {
      const { server, socket, send, of, spoken } = await connect(world)
      const cut = async (contextId: string): Promise<void> => {
        send({ contextId, start })
        send({ contextId, text: 'Good morning to you.' })
        await world.clock.elapse(20)
        send({ contextId, cancel: {} })
        await world.clock.elapse(1_000)
        expect(of(contextId).at(-1)).toEqual({ contextId, cancelled: {} })
      }
      await cut('a')
      expect(spoken('a').length).toBeLessThan(10)
      server.rude.add('talks on')
      await cut('b')
      expect(spoken('b')).toBe('Good morning to you.')
      send({ contextId: 'b', cancel: {} })
      await world.clock.elapse(10)
      expect(of('b').filter((event) => 'cancelled' in event)).toHaveLength(2)
      socket.abort()
    }))

  it.each<[what: string, requests: RimeRequest[]]>([
    ['a text before its start', [{ contextId: 'a', text: 'Yes.' }]],
    [
      'a text after its end',
      [
        { contextId: 'a', start },
        { contextId: 'a', end: {} },
        { contextId: 'a', text: 'No.' },
      ],
    ],
    [
      'a second start',
      [
        { contextId: 'a', start },
        { contextId: 'a', start },
      ],
    ],
    ['a start without a speaker', [{ contextId: 'a', start: { audioParameters } }]],
    [
      'an unknown format',
      [{ contextId: 'a', start: { ...start, audioParameters: { audioFormat: 'audio/x' } } }],
    ],
    [
      'an unknown rate',
      [
        {
          contextId: 'a',
          start: { ...start, audioParameters: { ...audioParameters, samplingRate: 48_000 } },
        },
      ],
    ],
  ])('refuses %s, and keeps the connection', (_, requests) =>
    inVirtualTime(async (world) => {
      const { socket, of, ends, send } = await connect(world, { thinks: 100 })
      for (const request of requests) send(request)
      await world.clock.elapse(50)
      expect(of('a').at(-1)).toMatchObject({ error: { kind: 'invalid_input' } })
      expect(ends).toEqual([])
      socket.abort()
    }),
  )

  it('closes the connection for a message that it cannot decode', () =>
    inVirtualTime(async (world) => {
      const { events, ends, send } = await connect(world)
      send({ contextId: 'a', start, text: 'Yes.' })
      await world.clock.elapse(10)
      expect(events.at(-1)).toMatchObject({ error: { kind: 'invalid_input' } })
      expect(ends).toMatchObject([{ how: 'closed', code: 1007 }])
    }))

  it('closes a connection without requests', () =>
    inVirtualTime(async (world) => {
      const { ends } = await connect(world, { idle: 30_000 })
      await world.clock.elapse(35_000)
      expect(ends).toMatchObject([{ how: 'closed', code: 1000 }])
    }))

  it.each<[what: string, path: string, key: string, protocols: string[], status: number]>([
    ['no key', '/ws', '', [], 401],
    ['another path', '/ws3', KEY, [], 404],
    ['another encoding', '/ws', KEY, ['rime.v1.binary'], 400],
  ])('refuses a client with %s', (_, path, key, protocols, status) =>
    inVirtualTime(async ({ clock, network }) => {
      network.serve = new RimeServer({ clock, key: KEY }).serve
      const ends: SocketEnd[] = []
      const events = { opened() {}, message() {}, ended: (end: SocketEnd) => ends.push(end) }
      const headers = { authorization: `Bearer ${key}` }
      network.dial({ name: 'x', url: `wss://example.com${path}`, headers, protocols }, events)
      await clock.elapse(10)
      expect(ends).toEqual([{ how: 'refused', status }])
    }),
  )
})
