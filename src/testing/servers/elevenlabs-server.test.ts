import { describe, expect, it } from 'vitest'
import { samplesFromBytes } from '../../audio/index.ts'
import type { SocketEnd } from '../../scope/index.ts'
import { inVirtualTime, textOf, type World } from '../index.ts'
import type { ElevenLabsAudio, ElevenLabsEvent, ElevenLabsRequest } from './elevenlabs-events.ts'
import { ElevenLabsServer, type ElevenLabsServerOptions } from './elevenlabs-server.ts'

const KEY = 'secret'
const PATH = '/v1/text-to-speech/any/multi-stream-input'

async function connect(
  { clock, network }: World,
  query = 'auto_mode=true&sync_alignment=true',
  options: ElevenLabsServerOptions = {},
) {
  const server = new ElevenLabsServer({ clock, key: KEY, ...options })
  network.serve = server.serve
  const events: (ElevenLabsEvent & { contextId?: string })[] = []
  const ends: SocketEnd[] = []
  const url = `wss://example.com${PATH}?output_format=pcm_16000&${query}`
  const socket = network.dial(
    { name: 'elevenlabs', url, headers: { 'xi-api-key': KEY } },
    {
      opened() {},
      message: (data) => events.push(JSON.parse(String(data)) as ElevenLabsEvent),
      ended: (end) => ends.push(end),
    },
  )
  await clock.elapse(10)
  const send = (request: ElevenLabsRequest): void => socket.send(JSON.stringify(request))
  const audioOf = (context: string): ElevenLabsAudio[] =>
    events.flatMap((event) => ('audio' in event && event.contextId === context ? [event] : []))
  const spoken = (context: string): string =>
    textOf(
      audioOf(context).map(({ audio }) => ({
        samples: samplesFromBytes(Buffer.from(audio, 'base64')),
        sampleRate: 16_000,
      })),
    )
  return { server, socket, events, ends, send, audioOf, spoken }
}

describe('the ElevenLabs server', () => {
  it('speaks several contexts at once, and ends each with isFinal', () =>
    inVirtualTime(async (world) => {
      const { socket, events, send, spoken } = await connect(world)
      for (const context_id of ['a', 'b']) send({ context_id, text: ' ' })
      send({ context_id: 'a', text: 'Good morning. ' })
      send({ context_id: 'b', text: 'Goodbye. ' })
      for (const context_id of ['a', 'b']) send({ context_id, flush: true })
      for (const context_id of ['a', 'b']) send({ context_id, close_context: true })
      await world.clock.elapse(200)
      expect(spoken('a')).toBe('Good morning. ')
      expect(spoken('b')).toBe('Goodbye. ')
      expect(events.filter((event) => 'isFinal' in event)).toEqual([
        { isFinal: true, contextId: 'b' },
        { isFinal: true, contextId: 'a' },
      ])
      socket.abort()
    }))

  it.each<[times: 'chunk' | 'context', second: number]>([
    ['chunk', 0],
    ['context', 100],
  ])('counts the times of characters from the start of the %s', (times, second) =>
    inVirtualTime(async (world) => {
      const { socket, send, audioOf } = await connect(world, undefined, { times })
      send({ context_id: 'a', text: ' ' })
      send({ context_id: 'a', text: 'Yes ' })
      await world.clock.elapse(100)
      expect(audioOf('a').map(({ alignment }) => alignment)).toEqual([
        { chars: ['Y', 'e'], charStartTimesMs: [0, 50], charDurationsMs: [50, 50] },
        { chars: ['s', ' '], charStartTimesMs: [second, second + 50], charDurationsMs: [50, 50] },
      ])
      socket.abort()
    }),
  )

  it('drops what was not flushed when a context is closed, unless it `talks on`', () =>
    inVirtualTime(async (world) => {
      const { server, socket, send, spoken } = await connect(world)
      const cut = async (context_id: string): Promise<void> => {
        send({ context_id, text: ' ' })
        send({ context_id, text: 'Good morning to you. ' })
        await world.clock.elapse(20)
        send({ context_id, close_context: true })
        await world.clock.elapse(1_000)
      }
      await cut('a')
      expect(spoken('a').length).toBeLessThan(10)
      server.rude.add('talks on')
      await cut('b')
      expect(spoken('b')).toBe('Good morning to you. ')
      socket.abort()
    }))

  it('waits for 120 characters or a flush without auto_mode', () =>
    inVirtualTime(async (world) => {
      const { socket, send, spoken } = await connect(world, 'auto_mode=false')
      for (const context_id of ['a', 'b']) send({ context_id, text: ' ' })
      send({ context_id: 'a', text: 'Yes. ' })
      send({ context_id: 'b', text: 'word '.repeat(30) })
      await world.clock.elapse(1_000)
      expect(spoken('a')).toBe('')
      expect(spoken('b')).toBe('word '.repeat(30))
      send({ context_id: 'a', flush: true })
      await world.clock.elapse(100)
      expect(spoken('a')).toBe('Yes. ')
      socket.abort()
    }))

  const start = { context_id: 'a', text: ' ' }
  it.each<[what: string, error: string, requests: ElevenLabsRequest[]]>([
    [
      'a sixth context',
      'max_active_conversations',
      ['a', 'b', 'c', 'd', 'e', 'f'].map((context_id) => ({ context_id, text: ' ' })),
    ],
    ['text before the first message', 'invalid_message', [{ context_id: 'a', text: 'Yes. ' }]],
    ['a keep-alive before the first message', 'invalid_message', [{ context_id: 'a', text: '' }]],
    ['settings in a second message', 'invalid_message', [start, { ...start, voice_settings: {} }]],
  ])('closes the connection for %s', (_, error, requests) =>
    inVirtualTime(async (world) => {
      const { events, ends, send } = await connect(world)
      for (const request of requests) send(request)
      await world.clock.elapse(10)
      expect(events).toMatchObject([{ error, code: 1008 }])
      expect(ends).toMatchObject([{ how: 'closed', code: 1008 }])
    }),
  )

  it('closes a connection without text after inactivity_timeout', () =>
    inVirtualTime(async (world) => {
      const { ends, send, events } = await connect(world, 'inactivity_timeout=30')
      await world.clock.elapse(25_000)
      send(start)
      await world.clock.elapse(25_000)
      expect(ends).toEqual([])
      await world.clock.elapse(10_000)
      expect(events).toMatchObject([{ error: 'input_timeout_exceeded' }])
      expect(ends).toMatchObject([{ how: 'closed', code: 1008 }])
    }))

  it('closes when the client asks for it', () =>
    inVirtualTime(async (world) => {
      const { ends, send } = await connect(world)
      send({ close_socket: true })
      await world.clock.elapse(10)
      expect(ends).toMatchObject([{ how: 'closed', code: 1000 }])
    }))

  it.each<[what: string, path: string, key: string, status: number]>([
    ['no key', `${PATH}?output_format=pcm_16000`, '', 401],
    ['another path', '/v1/text-to-speech/any/stream-input?output_format=pcm_16000', KEY, 404],
    ['an unknown format', `${PATH}?output_format=mp3_44100`, KEY, 400],
  ])('refuses a client with %s', (_, path, key, status) =>
    inVirtualTime(async ({ clock, network }) => {
      network.serve = new ElevenLabsServer({ clock, key: KEY }).serve
      const ends: SocketEnd[] = []
      const events = { opened() {}, message() {}, ended: (end: SocketEnd) => ends.push(end) }
      const headers = { 'xi-api-key': key }
      network.dial({ name: 'x', url: `wss://example.com${path}`, headers }, events)
      await clock.elapse(10)
      expect(ends).toEqual([{ how: 'refused', status }])
    }),
  )
})
