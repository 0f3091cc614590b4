import { describe, expect, it } from 'vitest'
import { bytesFromSamples, silence } from '../../audio/index.ts'
import type { Socket, SocketEnd } from '../../scope/index.ts'
import { inVirtualTime, soundOf, type World } from '../index.ts'
import type { DeepgramEvent } from './deepgram-events.ts'
import { DeepgramServer, type DeepgramServerOptions } from './deepgram-server.ts'

const RATE = 16_000
const KEY = 'secret'

interface Client {
  readonly server: DeepgramServer
  readonly socket: Socket
  readonly events: DeepgramEvent[]
  /** The transcripts received, one line each. */
  readonly words: () => string[]
  readonly ends: SocketEnd[]
  say(text: string): void
  silence(ms: number): void
  control(type: string): void
}

async function connect(
  { clock, network }: World,
  query: Record<string, string> = {},
  options: DeepgramServerOptions = {},
): Promise<Client> {
  const server = new DeepgramServer({ clock, key: KEY, ...options })
  network.serve = server.serve
  const all = { model: 'nova-3', encoding: 'linear16', sample_rate: String(RATE), ...query }
  const events: DeepgramEvent[] = []
  const ends: SocketEnd[] = []
  const socket = network.dial(
    {
      name: 'deepgram',
      url: `wss://example.com/v1/listen?${new URLSearchParams(all).toString()}`,
      headers: { Authorization: `Token ${KEY}` },
    },
    {
      opened() {},
      message: (data) => events.push(JSON.parse(String(data)) as DeepgramEvent),
      ended: (end) => ends.push(end),
    },
  )
  await clock.elapse(10)
  return {
    server,
    socket,
    events,
    ends,
    words: () => events.flatMap(wordsOf),
    say: (text) => socket.send(bytesFromSamples(soundOf(text, RATE, 50).samples)),
    silence: (ms) => socket.send(bytesFromSamples(silence(ms, RATE).samples)),
    control: (type) => socket.send(JSON.stringify({ type })),
  }
}

function wordsOf(event: DeepgramEvent): string[] {
  if (event.type !== 'Results') return []
  const { is_final, speech_final, from_finalize, channel } = event
  const how = from_finalize ? 'finalized' : speech_final ? 'paused' : is_final ? 'final' : 'interim'
  return [`${how}: ${channel.alternatives[0]?.transcript}`]
}

describe('the Deepgram server', () => {
  it('recognises the words in the audio when the speaker pauses', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.say('Good morning.')
      client.silence(20)
      await world.clock.elapse(10)
      expect(client.words()).toEqual(['paused: Good morning.'])
      expect(client.events[0]).toMatchObject({
        start: 0,
        duration: 0.67,
        channel: {
          alternatives: [{ words: [{ word: 'good' }, { word: 'morning', punctuated_word: 'morning.' }] }],
        },
      })
      client.socket.abort()
    }))

  it('sends interim results, SpeechStarted and UtteranceEnd on request', () =>
    inVirtualTime(async (world) => {
      const query = {
        interim_results: 'true',
        vad_events: 'true',
        utterance_end_ms: '1000',
        endpointing: '300',
      }
      const client = await connect(world, query)
      client.silence(100)
      client.say('Good ')
      client.say('morning.')
      client.silence(299)
      await world.clock.elapse(10)
      expect(client.words()).toEqual(['interim: Good', 'interim: Good morning.'])
      client.silence(1)
      client.silence(700)
      client.silence(1_000)
      await world.clock.elapse(10)
      expect(client.events.map(({ type }) => type)).toEqual([
        'SpeechStarted',
        'Results',
        'Results',
        'Results',
        'UtteranceEnd',
      ])
      expect(client.events[0]).toMatchObject({ timestamp: 0.1 })
      expect(client.events.at(-1)).toMatchObject({ last_word_end: 0.75 })
      client.socket.abort()
    }))

  it('sends a final transcript without a pause after a long segment', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world, { endpointing: 'false' })
      client.say('One two three four five six seven eight nine ten eleven twelve ')
      client.say('thirteen.')
      client.silence(5_000)
      client.control('Finalize')
      await world.clock.elapse(10)
      expect(client.words()).toEqual([
        'final: One two three four five six seven eight nine ten eleven twelve',
        'finalized: thirteen.',
      ])
      client.socket.abort()
    }))

  it('recognises the next audio as the text given to hear()', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.server.hear('book me in')
      client.silence(20)
      client.control('Finalize')
      client.control('Finalize')
      await world.clock.elapse(10)
      expect(client.words()).toEqual(['finalized: book me in', 'finalized: '])
      client.socket.abort()
    }))

  it.each<[what: string, end: (client: Client) => void]>([
    ['CloseStream', (client) => client.control('CloseStream')],
    ['an empty frame', (client) => client.socket.send(new Uint8Array(0))],
  ])('answers %s with the last words and the metadata, and closes', (_, end) =>
    inVirtualTime(async (world) => {
      const client = await connect(world, {}, { thinks: 40 })
      client.say('Goodbye')
      end(client)
      client.say('never heard')
      await world.clock.elapse(30)
      expect(client.events).toEqual([])
      await world.clock.elapse(30)
      expect(client.words()).toEqual(['paused: Goodbye'])
      expect(client.events[1]).toMatchObject({ type: 'Metadata', duration: 0.35, channels: 1 })
      expect(client.ends).toEqual([{ how: 'closed', code: 1000, reason: '' }])
    }),
  )

  it('closes a connection after ten seconds without audio or KeepAlive', () =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      for (let seconds = 0; seconds < 30; seconds += 5) {
        client.control('KeepAlive')
        await world.clock.elapse(5_000)
      }
      expect(client.ends).toEqual([])
      await world.clock.elapse(5_000)
      expect(client.ends).toEqual([])
      await world.clock.elapse(2_000)
      expect(client.ends).toEqual([{ how: 'closed', code: 1011, reason: 'NET-0001' }])
      expect(client.events).toEqual([])
      expect(client.server.sessions[0]?.controls).toHaveLength(6)
    }))

  it.each<[string, string | Uint8Array]>([
    ['half a sample', new Uint8Array(3)],
    ['text that is not JSON', 'hello'],
    ['text without a type', '{}'],
  ])('closes a connection that sends %s', (_, data) =>
    inVirtualTime(async (world) => {
      const client = await connect(world)
      client.socket.send(data)
      await world.clock.elapse(10)
      expect(client.ends).toEqual([{ how: 'closed', code: 1008, reason: 'DATA-0000' }])
    }),
  )

  it.each<[what: string, status: number, url: string, headers: Record<string, string>]>([
    ['without a key', 401, '/v1/listen?model=m&encoding=linear16&sample_rate=16000', {}],
    [
      'with a wrong key',
      401,
      '/v1/listen?model=m&encoding=linear16&sample_rate=16000',
      { authorization: 'Token x' },
    ],
    ['to another path', 404, '/v1/speak', { authorization: `Token ${KEY}` }],
    [
      'with an unsupported encoding',
      400,
      '/v1/listen?model=m&encoding=opus',
      { authorization: `Token ${KEY}` },
    ],
    [
      'without a model',
      400,
      '/v1/listen?encoding=linear16&sample_rate=16000',
      { authorization: `Token ${KEY}` },
    ],
  ])('refuses a connection %s', (_, status, path, headers) =>
    inVirtualTime(async ({ clock, network }) => {
      network.serve = new DeepgramServer({ clock, key: KEY }).serve
      const ends: SocketEnd[] = []
      const events = { opened() {}, message() {}, ended: (end: SocketEnd) => ends.push(end) }
      network.dial({ name: 'x', url: `wss://example.com${path}`, headers }, events)
      await clock.elapse(10)
      expect(ends).toEqual([{ how: 'refused', status }])
    }),
  )

  it('misbehaves as `rude` says', () =>
    inVirtualTime(async (world) => {
      const deaf = await connect(world, {}, { rude: ['deaf', 'ignores Finalize', 'ignores CloseStream'] })
      deaf.say('Hello?')
      deaf.silence(1_000)
      deaf.control('Finalize')
      deaf.control('CloseStream')
      await world.clock.elapse(5_000)
      expect(deaf.events).toEqual([])
      expect(deaf.ends).toEqual([])
      deaf.socket.abort()

      const talker = await connect(world, {}, { rude: ['talks on'], ignoresClose: true })
      talker.control('CloseStream')
      await world.clock.elapse(10)
      expect(talker.words()).toEqual(['paused: ', 'paused: and another thing'])
      talker.socket.close()
      await world.clock.elapse(5_000)
      expect(talker.ends).toEqual([])
      talker.socket.abort()
    }))
})
