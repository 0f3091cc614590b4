import { mkdirSync, writeFileSync } from 'node:fs'
import { createOpenAI } from '@ai-sdk/openai'
import { AiSdkLlm } from '../../src/providers/ai-sdk/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { LocalStt, LocalTts, LocalVad, SileroVad, SmartTurn } from '../../src/providers/local/index.ts'
import { mcpTools } from '../../src/providers/mcp/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import {
  OpenAIHttpTts,
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
} from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import type { Models, Toolset } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, callTool } from '../../src/testing/index.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  CartesiaServer,
  ChatServer,
  DeepgramFluxServer,
  DeepgramServer,
  DeepgramSpeakServer,
  ElevenLabsServer,
  GeminiLiveServer,
  OpenAILiveServer,
  OpenAIRealtimeServer,
  OpenAISpeechServer,
  XaiRealtimeServer,
  type ChatAnswer,
} from '../../src/testing/servers/index.ts'
import { meanModel } from '../fixtures/onnx.ts'
import { ToolHost } from './tool-host.ts'
import type { Vendor } from './vendor-side.ts'

const apiKey = 'secret'
const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it.'

/** What keeps a provider busy. */
export type Busy = 'the caller speaks' | 'the agent speaks' | 'the agent thinks' | 'the agent answers'

export interface Setup {
  readonly vendor: Vendor
  /** The models of the session, including the provider. */
  models(url: string): Models
  readonly busy: Busy
  /** Makes the vendor leave all further requests unanswered. */
  readonly stopAnswering?: () => void
  readonly toolsets?: (url: string) => readonly Toolset[]
  /** Makes the vendor announce the end of the connection, or report that the session has expired. */
  readonly announceEnd?: () => void
}

/** A provider, its vendor's server, and how a session keeps it busy. */
export interface Subject {
  readonly name: string
  /** Whether it keeps one connection for the call, opens one per request, or runs in threads. */
  readonly holds: 'a socket' | 'requests' | 'threads'
  /** Set if the vendor must say that a connection is ready: as the first message, or as the answer to one. */
  readonly setsUp?: 'vendor first' | 'client first'
  /** How the vendor closes an idle connection. */
  readonly idleEnd?: { readonly code: number; readonly reason: string }
  /** How the vendor announces the end of a connection. */
  readonly ends?: 'going away' | 'expired'
  setUp(): Setup
}

const pipeline = () => ({
  llm: new ScriptedLlm({ answers: () => LONG }),
  tts: new ScriptedTts({ speed: 1 }),
  stt: new ScriptedStt(),
  vad: new ScriptedVad(),
})

export const subjects: readonly Subject[] = [
  {
    name: 'deepgram stt',
    holds: 'a socket',
    idleEnd: { code: 1011, reason: 'NET-0001' },
    setUp: () => ({
      vendor: new DeepgramServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), stt: new DeepgramStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'deepgram flux stt',
    holds: 'a socket',
    setsUp: 'vendor first',
    setUp: () => ({
      vendor: new DeepgramFluxServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), stt: new DeepgramFluxStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'assemblyai stt',
    holds: 'a socket',
    setsUp: 'vendor first',
    setUp: () => ({
      vendor: new AssemblyAIServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), stt: new AssemblyAIStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'cartesia ink stt',
    holds: 'a socket',
    setsUp: 'vendor first',
    setUp: () => ({
      vendor: new CartesiaInkServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), stt: new CartesiaStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'cartesia tts',
    holds: 'a socket',
    setUp: () => ({
      vendor: new CartesiaServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new CartesiaTts({ voice: 'voice', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'elevenlabs tts',
    holds: 'a socket',
    idleEnd: { code: 1008, reason: 'input_timeout_exceeded' },
    setUp: () => ({
      vendor: new ElevenLabsServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new ElevenLabsTts({ voice: 'voice', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'deepgram aura tts',
    holds: 'a socket',
    idleEnd: { code: 1011, reason: 'NET-0001' },
    setUp: () => ({
      vendor: new DeepgramSpeakServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new DeepgramTts({ model: 'aura-2-thalia-en', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'deepgram flux tts',
    holds: 'a socket',
    idleEnd: { code: 1011, reason: 'NET-0001' },
    setUp: () => ({
      vendor: new DeepgramSpeakServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new DeepgramTts({ model: 'flux-alexis-en', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'ai-sdk llm',
    holds: 'requests',
    setUp: () => {
      const vendor = new ChatServer({ key: apiKey })
      let answer: ChatAnswer = [LONG, { rude: 'stalls' }]
      return {
        vendor: {
          http: (request, response) => {
            vendor.answers(answer)
            vendor.http(request, response)
          },
        },
        stopAnswering: () => {
          answer = { hangs: true }
        },
        models: (url) => {
          const baseURL = `${url.replace(/^ws/, 'http')}/v1`
          return { ...pipeline(), llm: new AiSdkLlm(createOpenAI({ baseURL, apiKey }).chat('any')) }
        },
        busy: 'the agent thinks',
      }
    },
  },
  {
    name: 'mcp over http',
    holds: 'requests',
    setUp: () => {
      const vendor = new ToolHost()
      return {
        vendor,
        stopAnswering: () => {
          vendor.hangs = true
        },
        models: () => ({ ...pipeline(), llm: new ScriptedLlm({ answers: () => [callTool('wait')] }) }),
        toolsets: (url) => [mcpTools({ name: 'tools', url: `${url.replace(/^ws/, 'http')}/mcp` })],
        busy: 'the agent thinks',
      }
    },
  },
  {
    name: 'openai realtime',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'expired',
    setUp: () => {
      const vendor = new OpenAIRealtimeServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor,
        models: (url) => ({ realtime: new OpenAIRealtime({ url, apiKey }) }),
        busy: 'the agent answers',
        announceEnd: () => vendor.expire(),
      }
    },
  },
  {
    name: 'openai live',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'expired',
    setUp: () => {
      const vendor = new OpenAILiveServer({ apiKey, answers: () => LONG })
      return {
        vendor,
        models: (url) => ({ realtime: new OpenAILive({ url, apiKey }) }),
        busy: 'the agent answers',
        announceEnd: () => vendor.end('expired'),
      }
    },
  },
  {
    name: 'xai realtime',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'expired',
    setUp: () => {
      const vendor = new XaiRealtimeServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor,
        models: (url) => ({ realtime: new XaiRealtime({ url, apiKey }) }),
        busy: 'the agent answers',
        announceEnd: () => vendor.expire(),
      }
    },
  },
  {
    name: 'openai stt',
    holds: 'a socket',
    setsUp: 'client first',
    setUp: () => ({
      vendor: new OpenAIRealtimeServer({ apiKey }),
      models: (url) => ({ ...pipeline(), stt: new OpenAIStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'openai tts',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'expired',
    setUp: () => {
      const vendor = new OpenAIRealtimeServer({ apiKey, answers: ({ user }) => user, speed: 1 })
      return {
        vendor,
        models: (url) => ({ ...pipeline(), tts: new OpenAITts({ url, apiKey }) }),
        busy: 'the agent answers',
        announceEnd: () => vendor.expire(),
      }
    },
  },
  {
    name: 'openai http tts',
    holds: 'requests',
    setUp: () => {
      const vendor = new OpenAISpeechServer({ apiKey, speed: 1 })
      return {
        vendor,
        models: (url) => ({ ...pipeline(), tts: new OpenAIHttpTts({ url, apiKey, model: 'any' }) }),
        stopAnswering: () => void vendor.treats('hangs', 'hangs', 'hangs'),
        busy: 'the agent speaks',
      }
    },
  },
  {
    name: 'gemini live',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'going away',
    setUp: () => {
      const vendor = new GeminiLiveServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor,
        models: (url) => ({ realtime: new GeminiLive({ url, apiKey }) }),
        busy: 'the agent answers',
        announceEnd: () => vendor.goAway(1_000),
      }
    },
  },
  {
    name: 'local',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({
        ...pipeline(),
        stt: new LocalStt({ phrases: ['thank you', 'goodbye'] }),
        vad: new LocalVad(),
        tts: new LocalTts(),
      }),
      busy: 'the agent answers',
    }),
  },
  {
    name: 'silero vad',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({
        ...pipeline(),
        vad: new SileroVad({ model: 'node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx' }),
      }),
      busy: 'the agent answers',
    }),
  },
  {
    name: 'smart turn',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({ ...pipeline(), turnDetector: new SmartTurn({ model: smartTurnFile() }) }),
      busy: 'the agent answers',
    }),
  },
]

/** A model with the inputs and outputs of Smart Turn. */
function smartTurnFile(): string {
  const file = 'node_modules/.cache/endwell-smart-turn.onnx'
  mkdirSync('node_modules/.cache', { recursive: true })
  writeFileSync(file, meanModel())
  return file
}
