import { pcm, type AudioFrame, type SampleRate } from '../../src/audio/index.ts'
import {
  noSttEvents,
  type PartContext,
  type RealtimeEvents,
  type Stt,
  type SttEvents,
  type Tts,
} from '../../src/parts/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { OpenAILive, OpenAIRealtime, OpenAIStt, OpenAITts } from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import { noop, type Clock } from '../../src/scope/index.ts'
import type { ConnectionManners } from '../../src/testing/servers/vendor-server.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  CartesiaServer,
  DeepgramFluxServer,
  DeepgramServer,
  DeepgramSpeakServer,
  ElevenLabsScribeServer,
  ElevenLabsServer,
  GeminiLiveServer,
  RimeServer,
  InworldServer,
  OpenAILiveServer,
  OpenAIRealtimeServer,
  XaiRealtimeServer,
} from '../../src/testing/servers/index.ts'
import type { SimNetwork } from '../../src/testing/index.ts'

/** A provider that is open, and how to use it. */
export interface OpenPart {
  /** Passes on 20 ms of the caller's voice. */
  readonly hear?: (frame: AudioFrame) => void
  /** Asks for something that the vendor must answer. */
  readonly ask?: () => void
}

/** A provider whose vendor falls silent. */
export interface SilentVendor {
  readonly name: string
  readonly sampleRate: SampleRate
  /** What of a call makes the vendor owe a message. */
  readonly uses: readonly ('hear' | 'ask')[]
  /** Milliseconds within which it notices silence while nothing is owed and pings are unanswered. Default: 10.5 s. */
  readonly idleWithin?: number
  /** Makes `network` behave like the vendor. */
  serve(network: SimNetwork, clock: Clock, manners: ConnectionManners): void
  open(context: PartContext, failed: (error: unknown) => void): Promise<OpenPart>
}

const apiKey = 'secret-key'
const url = 'wss://vendor.example'

const sttEvents = (failed: (error: unknown) => void): SttEvents => ({
  ...noSttEvents,
  failed,
})

const realtimeEvents = (failed: (error: unknown) => void): RealtimeEvents => ({
  userStarted: noop,
  userStopped: noop,
  userInterim: noop,
  userFinal: noop,
  responseStarted: noop,
  audio: noop,
  text: noop,
  toolCall: noop,
  toolCancelled: noop,
  responseEnded: noop,
  usage: noop,
  failed,
})

const setup = (takesTurns: boolean) => ({
  hears: pcm(16_000),
  speaks: pcm(24_000),
  instructions: 'You answer the phone.',
  tools: [],
  messages: [],
  takesTurns,
})

async function* oneText(text: string): AsyncGenerator<string> {
  yield text
}

async function hearing(stt: Stt, context: PartContext, failed: (error: unknown) => void): Promise<OpenPart> {
  const stream = await stt.open(context, sttEvents(failed), { format: stt.hears[0]!, keyTerms: [] })
  return { hear: (frame) => stream.push(frame) }
}

async function speaking(tts: Tts, context: PartContext, failed: (error: unknown) => void): Promise<OpenPart> {
  const voice = await tts.open(context, { format: tts.speaks[0]! })
  const speak = async (): Promise<void> => {
    for await (const _ of voice.speak(oneText('Hello.'), new AbortController().signal)) noop()
  }
  return { ask: () => void speak().catch(failed) }
}

export const vendors: readonly SilentVendor[] = [
  {
    name: 'deepgram stt',
    uses: ['hear'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new DeepgramServer({ clock, key: apiKey, manners }).serve
    },
    open: async (context, failed) => {
      const stream = await new DeepgramStt({ url, apiKey }).open(context, sttEvents(failed))
      return { hear: (frame) => stream.push(frame) }
    },
  },
  {
    name: 'deepgram flux stt',
    uses: ['hear'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new DeepgramFluxServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => hearing(new DeepgramFluxStt({ url, apiKey }), context, failed),
  },
  {
    name: 'assemblyai stt',
    uses: ['hear'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new AssemblyAIServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => hearing(new AssemblyAIStt({ url, apiKey }), context, failed),
  },
  {
    name: 'cartesia ink stt',
    uses: ['hear'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new CartesiaInkServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => hearing(new CartesiaStt({ url, apiKey }), context, failed),
  },
  {
    name: 'elevenlabs scribe stt',
    uses: ['hear'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new ElevenLabsScribeServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => hearing(new ElevenLabsStt({ url, apiKey }), context, failed),
  },
  {
    name: 'openai stt',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new OpenAIRealtimeServer({ clock, apiKey, manners }).serve
    },
    open: async (context, failed) => {
      const stream = await new OpenAIStt({ url, apiKey }).open(context, sttEvents(failed))
      return {
        ask: () => {
          stream.push({ samples: new Int16Array(4_800).fill(5_000), sampleRate: 24_000 })
          stream.flush()
        },
      }
    },
  },
  {
    name: 'openai stt, server vad',
    uses: ['hear'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new OpenAIRealtimeServer({ clock, apiKey, manners }).serve
    },
    open: async (context, failed) => {
      const turnDetection = { type: 'server' } as const
      const stream = await new OpenAIStt({ url, apiKey, turnDetection }).open(context, sttEvents(failed))
      return { hear: (frame) => stream.push(frame) }
    },
  },
  {
    name: 'openai realtime',
    uses: ['hear', 'ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new OpenAIRealtimeServer({ clock, apiKey, answers: () => 'Hello.', manners }).serve
    },
    open: async (context, failed) => {
      const realtime = new OpenAIRealtime({ url, apiKey })
      const model = await realtime.open(context, setup(true), realtimeEvents(failed))
      return { hear: (frame) => model.push(frame), ask: () => model.respond() }
    },
  },
  {
    name: 'openai live',
    uses: ['hear', 'ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new OpenAILiveServer({ clock, apiKey, answers: () => 'Hello.', manners }).serve
    },
    open: async (context, failed) => {
      const realtime = new OpenAILive({ url, apiKey })
      const model = await realtime.open(context, setup(true), realtimeEvents(failed))
      return { hear: (frame) => model.push(frame), ask: () => model.respond() }
    },
  },
  {
    name: 'xai realtime',
    uses: ['hear', 'ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new XaiRealtimeServer({ clock, apiKey, answers: () => 'Hello.', manners }).serve
    },
    open: async (context, failed) => {
      const realtime = new XaiRealtime({ url, apiKey })
      const model = await realtime.open(context, setup(true), realtimeEvents(failed))
      return { hear: (frame) => model.push(frame), ask: () => model.respond() }
    },
  },
  {
    name: 'openai tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new OpenAIRealtimeServer({ clock, apiKey, answers: () => 'Hello.', manners }).serve
    },
    open: (context, failed) => speaking(new OpenAITts({ url, apiKey }), context, failed),
  },
  {
    name: 'gemini live',
    idleWithin: 40_000,
    uses: ['hear', 'ask'],
    sampleRate: 16_000,
    serve: (network, clock, manners) => {
      network.serve = new GeminiLiveServer({ clock, apiKey, answers: () => 'Hello.', manners }).serve
    },
    open: async (context, failed) => {
      const realtime = new GeminiLive({ url, apiKey })
      const model = await realtime.open(context, setup(true), realtimeEvents(failed))
      return { hear: (frame) => model.push(frame), ask: () => model.respond() }
    },
  },
  {
    name: 'cartesia tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new CartesiaServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => speaking(new CartesiaTts({ url, apiKey, voice: 'voice' }), context, failed),
  },
  {
    name: 'deepgram tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new DeepgramSpeakServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => speaking(new DeepgramTts({ url, apiKey }), context, failed),
  },
  {
    name: 'elevenlabs tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new ElevenLabsServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => speaking(new ElevenLabsTts({ url, apiKey, voice: 'voice' }), context, failed),
  },
  {
    name: 'rime tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new RimeServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => speaking(new RimeTts({ url, apiKey, voice: 'voice' }), context, failed),
  },
  {
    name: 'inworld tts',
    uses: ['ask'],
    sampleRate: 24_000,
    serve: (network, clock, manners) => {
      network.serve = new InworldServer({ clock, key: apiKey, manners }).serve
    },
    open: (context, failed) => speaking(new InworldTts({ url, apiKey, voice: 'voice' }), context, failed),
  },
]
