import { describe, expect, it } from 'vitest'
import { samplesFromBytes, type AudioFrame } from '../../audio/index.ts'
import type { Socket, SocketEnd } from '../../scope/index.ts'
import { inVirtualTime, textOf, type World } from '../index.ts'
import type { CartesiaEvent, CartesiaGeneration } from './cartesia-events.ts'
import { CartesiaServer, type CartesiaServerOptions } from './cartesia-server.ts'

const RATE = 16_000
const KEY = 'secret'
const common = {
  model_id: 'sonic-3.5',
  voice: { mode: 'id', id: 'any' },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: RATE },
} as const

interface Client {
  readonly server: CartesiaServer
  readonly socket: Socket
  readonly ends: SocketEnd[]
  /** The messages of a context. */
  of(context: string): CartesiaEvent[]
  spoken(context: string): string
  say(context: string, transcript: string, more?: Partial<CartesiaGeneration>): void
  cancel(context: string): void
}

async function connect({ clock, network }: World, options: CartesiaServerOptions = {}): Promise<Client> {
  const server = new CartesiaServer({ clock, key: KEY, ...options })
  network.serve = server.serve
  const events: CartesiaEvent[] = []
  const ends: SocketEnd[] = []
  const socket = network.dial(
    { name: 'cartesia', url: 'wss://example.com/tts/websocket', headers: { Authorization: `Bearer ${KEY}` } },
    {
      opened() {},
      message: (data) => events.push(JSON.parse(String(data)) as CartesiaEvent),
      ended: (end) => ends.push(end),
    },
  )
  await clock.elapse(10)
  const of = (context: string): CartesiaEvent[] => events.filter(({ context_id }) => context_id === context)
  const send = (message: object): void => socket.send(JSON.stringify(message))
  return {
    server,
    socket,
    ends,
    of,
    spoken: (context) => textOf(of(context).flatMap(frameOf)),
    say: (context_id, transcript, more) => send({ ...common, context_id, transcript, ...more }),
    cancel: (context_id) => send({ context_id, cancel: true }),
  }
}

function frameOf(event: CartesiaEvent): AudioFrame[] {
  if (event.type !== 'chunk') return []
  return [{ samples: samplesFromBytes(Buffer.from(event.data, 'base64')), sampleRate: RATE }]
}

const typesOf = (events: readonly CartesiaEvent[]): string[] => events.map(({ type }) => type)

describe('the Cartesia server', () => {
  it('speaks several contexts at once and sends done for each', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.say('a', 'Good morning.')
      client.say('b', 'Goodbye.')
      await world.clock.elapse(200)
      expect(client.spoken('a')).toBe('Good morning.')
      expect(client.spoken('b')).toBe('Goodbye.')
      expect(typesOf(client.of('b'))).toEqual(['chunk', 'chunk', 'chunk', 'chunk', 'done'])
      expect(client.of('a').at(-1)).toMatchObject({ done: true, status_code: 200 })
      client.socket.abort()
    }))

  it('continues a context with more text, and sends each word when it is complete', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      const timed = { add_timestamps: true, continue: true }
      client.say('a', 'Good mor', timed)
      await world.clock.elapse(500)
      client.say('a', 'ning. ', timed)
      client.say('a', 'Yes', timed)
      await world.clock.elapse(500)
      expect(client.spoken('a')).toBe('Good morning. Yes')
      expect(typesOf(client.of('a'))).not.toContain('done')
      client.say('a', '', { add_timestamps: true, continue: false })
      await world.clock.elapse(100)
      expect(client.of('a').filter(({ type }) => type === 'timestamps')).toMatchObject([
        { word_timestamps: { words: ['Good'], start: [0], end: [0.2] } },
        { word_timestamps: { words: ['morning.'], start: [0.25], end: [0.65] } },
        { word_timestamps: { words: ['Yes'], start: [0.7], end: [0.85] } },
      ])
      expect(client.of('a').at(-1)?.type).toBe('done')
      client.socket.abort()
    }))

  it('sends flush_done for each flush', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.say('a', 'Yes', { continue: true, flush: true })
      client.say('a', 'No', { continue: true, flush: true })
      await world.clock.elapse(100)
      expect(client.of('a').filter(({ type }) => type === 'flush_done')).toMatchObject([
        { flush_id: 0 },
        { flush_id: 1 },
      ])
      client.socket.abort()
    }))

  it('stops a cancelled context unless it `talks on`', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.say('a', 'Good morning to you.')
      await world.clock.elapse(20)
      client.cancel('a')
      client.cancel('nobody')
      await world.clock.elapse(20)
      const heard = client.spoken('a')
      expect(heard.length).toBeLessThan(10)
      await world.clock.elapse(1_000)
      expect(client.spoken('a')).toBe(heard)

      client.server.rude.add('talks on')
      client.say('b', 'Good morning to you.')
      client.cancel('b')
      await world.clock.elapse(1_000)
      expect(client.spoken('b')).toBe('Good morning to you.')
      client.socket.abort()
    }))

  it('closes a connection that was idle for five minutes', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      await world.clock.elapse(4 * 60_000)
      client.say('a', 'Yes')
      await world.clock.elapse(5 * 60_000)
      expect(client.ends).toEqual([])
      await world.clock.elapse(5 * 60_000)
      expect(client.ends).toEqual([{ how: 'closed', code: 1000, reason: 'connection idle' }])
    }))

  it('answers an invalid request with an error for its context', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.socket.send(JSON.stringify({ context_id: 'a', transcript: 'Yes' }))
      client.socket.send('hello')
      await world.clock.elapse(10)
      expect(client.of('a')).toMatchObject([
        { type: 'error', status_code: 400, message: 'model_id is missing' },
      ])
      expect(client.of('')).toMatchObject([{ type: 'error' }])
      client.socket.abort()
    }))

  it.each<[what: string, path: string, headers: Record<string, string>, status?: number]>([
    ['a key in a header', '/tts/websocket', { 'X-API-Key': KEY }],
    ['a key in the URL', `/tts/websocket?api_key=${KEY}`, {}],
    ['no key', '/tts/websocket', {}, 401],
    ['another path', '/stt/websocket', { 'X-API-Key': KEY }, 404],
  ])('accepts or refuses a client with %s', (_, path, headers, status) =>
    inVirtualTime(async ({ clock, network }) => {
      network.serve = new CartesiaServer({ clock, key: KEY }).serve
      const ends: SocketEnd[] = []
      const events = { opened() {}, message() {}, ended: (end: SocketEnd) => ends.push(end) }
      const socket = network.dial({ name: 'x', url: `wss://example.com${path}`, headers }, events)
      await clock.elapse(10)
      expect(ends).toEqual(status === undefined ? [] : [{ how: 'refused', status }])
      socket.abort()
    }),
  )

  it('misbehaves as `rude` says', () =>
    inVirtualTime(async (world) => {
      const mute = await connect(world, { rude: ['mute'] })
      mute.say('a', 'Yes')
      await world.clock.elapse(1_000)
      expect(mute.of('a')).toEqual([])
      mute.socket.abort()

      const endless = await connect(world, { rude: ['never done'] })
      endless.say('a', 'Yes')
      await world.clock.elapse(1_000)
      expect(typesOf(endless.of('a'))).toEqual(['chunk', 'chunk'])
      endless.socket.abort()

      const broken = await connect(world, { rude: ['fails'] })
      broken.say('a', 'Good morning.')
      await world.clock.elapse(1_000)
      expect(typesOf(broken.of('a'))).toEqual(['chunk', 'error'])
      broken.socket.abort()

      const lost = await connect(world, { rude: ['drops mid-context'] })
      lost.say('a', 'Good morning.')
      await world.clock.elapse(1_000)
      expect(typesOf(lost.of('a'))).toEqual(['chunk'])
      expect(lost.ends).toEqual([{ how: 'dropped', code: 1006 }])
    }))
})
