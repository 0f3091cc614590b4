import { pcm } from '../../src/audio/index.ts'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { PartContext, RealtimeEvents, Stt, SttEvents, Tts } from '../../src/parts/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import {
  OpenAIHttpTts,
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
} from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { inVirtualTime, partContext, type Manners } from '../../src/testing/index.ts'
import { LoopbackServer } from '../../src/testing/servers/index.ts'

/** A key in no well-known shape. */
const KEY = 'open-sesame-and-then-some'
const options = { apiKey: KEY, url: 'wss://vendor.example' }
const setup = {
  hears: pcm(16_000),
  speaks: pcm(24_000),
  instructions: '',
  tools: [],
  messages: [],
  takesTurns: true,
}

/** Records every event with its arguments. */
const recorder = (log: unknown[]): SttEvents & RealtimeEvents =>
  new Proxy({} as SttEvents & RealtimeEvents, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        void log.push([name, ...args]),
  })

type Open = (context: PartContext, log: unknown[]) => Promise<unknown>
const providers: Record<string, Open> = {
  deepgram: (context, log) => new DeepgramStt(options).open(context, recorder(log)),
  flux: listens(new DeepgramFluxStt(options)),
  assemblyai: listens(new AssemblyAIStt(options)),
  ink: listens(new CartesiaStt(options)),
  scribe: listens(new ElevenLabsStt(options)),
  'openai tts': (context) => new OpenAITts(options).open(context),
  'openai stt': (context, log) => new OpenAIStt(options).open(context, recorder(log)),
  'openai realtime': (context, log) => new OpenAIRealtime(options).open(context, setup, recorder(log)),
  'openai live': (context, log) => new OpenAILive(options).open(context, setup, recorder(log)),
  'xai realtime': (context, log) => new XaiRealtime(options).open(context, setup, recorder(log)),
  gemini: (context, log) => new GeminiLive(options).open(context, setup, recorder(log)),
  cartesia: speaks(new CartesiaTts({ ...options, voice: 'voice' })),
  'deepgram tts': speaks(new DeepgramTts(options)),
  elevenlabs: speaks(new ElevenLabsTts({ ...options, voice: 'voice' })),
  rime: speaks(new RimeTts({ ...options, voice: 'voice' })),
  inworld: speaks(new InworldTts({ ...options, voice: 'voice' })),
}

function listens(stt: Stt): Open {
  return (context, log) => stt.open(context, recorder(log), { format: stt.hears[0]!, keyTerms: [] })
}

function speaks(tts: Tts): Open {
  return async (context, log) => {
    const voice = await tts.open(context, { format: tts.speaks[0]! })
    const speak = async (): Promise<void> => {
      const text = (async function* () {
        yield 'Hello.'
      })()
      for await (const chunk of voice.speak(text, new AbortController().signal)) log.push(chunk)
    }
    speak().catch((error: unknown) => log.push(error))
    return voice
  }
}

const says = (...messages: object[]): Manners => ({
  opened: (peer) => {
    for (const each of messages) peer.send(JSON.stringify(each))
  },
})

/** The first messages of vendors that confirm a connection. */
const begins = [
  { type: 'Connected' },
  { type: 'Begin' },
  { type: 'connected' },
  { ready: { protocol: 1 } },
  { message_type: 'session_started' },
]

/** What a vendor may say with the key in it. Every provider gets all of it. */
const repetitions: Record<string, Manners> = {
  'the reason of a fatal close': { opened: (peer) => peer.close(1008, `no such key: ${KEY}`) },
  'the reason of a drop': { opened: (peer) => peer.close(1011, `try again with ${KEY}`) },
  'an error': says(
    { type: 'session.updated' },
    { setupComplete: {} },
    ...begins,
    {
      type: 'Error',
      code: KEY,
      description: `no such key: ${KEY}`,
      error: `no such key: ${KEY}`,
      error_code: 3005,
    },
    { type: 'error', context_id: 'speech-1', message: `no such key: ${KEY}`, title: KEY, status_code: 400 },
    { message: `no such key: ${KEY}`, error: KEY, contextId: 'speech-1' },
    { message: `no such key: ${KEY}`, error: KEY, code: 1008 },
    { type: 'error', error: { type: KEY, code: KEY, message: `no such key: ${KEY}`, event_id: KEY } },
  ),
  'an error in an object': says(
    ...begins,
    { result: { contextId: 'speech-1', status: { code: 3, message: `no such key: ${KEY}` } } },
    { contextId: 'speech-1', error: { kind: 'internal', message: `no such key: ${KEY}` } },
  ),
  'an error before the setup': says({ type: 'error', error: { message: `no such key: ${KEY}`, code: KEY } }),
  'a transcript': says(
    { type: 'session.updated' },
    { setupComplete: {} },
    ...begins,
    { type: 'TurnInfo', event: 'EndOfTurn', turn_index: 0, transcript: KEY, languages: [KEY] },
    { type: 'Turn', end_of_turn: true, turn_order: 0, transcript: KEY, speaker_label: KEY },
    { message_type: 'partial_transcript', text: KEY },
    { message_type: 'committed_transcript', text: KEY, language_code: KEY },
    { type: 'turn.start' },
    { type: 'turn.end', transcript: KEY },
    { type: 'Results', is_final: true, channel: { alternatives: [{ transcript: `your key is ${KEY}` }] } },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: KEY, transcript: KEY },
    { serverContent: { inputTranscription: { text: KEY }, turnComplete: true, turnCompleteReason: KEY } },
  ),
}

describe('a key that a vendor repeats', () => {
  const cases = Object.keys(providers).flatMap((name) =>
    Object.keys(repetitions).map((how) => [name, how] as const),
  )

  it.each(cases)('[LK12] reaches neither log, report, event nor error: %s, %s', (name, how) =>
    inVirtualTime(async (world) => {
      world.network.serve = () => repetitions[how]!
      const log: unknown[] = []
      const write = (fields: object, message: string): void => void log.push(fields, message)
      const logger = { debug: write, info: write, warn: write, error: write }
      const context = partContext(world, { logger })
      await providers[name]!(context, log).catch((error: unknown) => log.push(error))
      await world.clock.elapse(60_000)
      log.push(context.scope.inspect(), await context.scope.close(), context.connections)
      expect(log.length).toBeGreaterThan(3)
      expect(inspect(log, { depth: 12, showHidden: true, maxStringLength: null })).not.toContain(KEY)
    }),
  )

  it('[LK12] does not reach an error that quotes the body of an HTTP response', async () => {
    await using server = await LoopbackServer.listen({
      http: ({ headers }, response) => {
        const message = `no such key: ${headers.authorization}, ${encodeURIComponent(KEY)}`
        response.writeHead(400).end(JSON.stringify({ error: { message } }))
      },
    })
    const context = partContext({ clock: systemClock, random: systemRandom })
    const url = server.url.replace('ws', 'http')
    const voice = await new OpenAIHttpTts({ apiKey: KEY, url, model: 'any' }).open(context)
    const text = (async function* () {
      yield 'Hello.'
    })()
    const speech = voice.speak(text, new AbortController().signal)[Symbol.asyncIterator]()
    const error = await speech.next().catch((thrown: unknown) => thrown)
    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain(KEY)
    expect(error).toMatchObject({ message: expect.stringContaining('no such key: Bearer ***') })
    await context.scope.close()
  })
})
