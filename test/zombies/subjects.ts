import { createOpenAI } from '@ai-sdk/openai'
import { AiSdkLlm } from '../../src/providers/ai-sdk/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { mcpTools } from '../../src/providers/mcp/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import {
  OpenAIHttpTts,
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
} from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import { fallbackRealtime } from '../../src/parts/fallback/index.ts'
import type { DialRequest } from '../../src/scope/index.ts'
import { ScriptedLlm, callTool } from '../../src/testing/index.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  CartesiaServer,
  ChatServer,
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
  OpenAISpeechServer,
  XaiRealtimeServer,
  type ChatAnswer,
} from '../../src/testing/servers/index.ts'
import { localSubjects } from './local-subjects.ts'
import { LONG, pipeline, type Subject } from './subject.ts'
import { ToolHost } from './tool-host.ts'

const apiKey = 'secret'

const isOpenAI = ({ url }: DialRequest): boolean => new URL(url).pathname.endsWith('/realtime')

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
    name: 'elevenlabs scribe stt',
    holds: 'a socket',
    setsUp: 'vendor first',
    setUp: () => ({
      vendor: new ElevenLabsScribeServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), stt: new ElevenLabsStt({ url, apiKey }) }),
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
    name: 'rime tts',
    holds: 'a socket',
    setsUp: 'vendor first',
    idleEnd: { code: 1000, reason: 'idle' },
    setUp: () => ({
      vendor: new RimeServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new RimeTts({ voice: 'voice', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'inworld tts',
    holds: 'a socket',
    idleEnd: { code: 1000, reason: 'inactive' },
    setUp: () => ({
      vendor: new InworldServer({ key: apiKey }),
      models: (url) => ({ ...pipeline(), tts: new InworldTts({ voice: 'voice', url, apiKey }) }),
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
    name: 'fallback realtime',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'lost',
    setUp: () => {
      const openai = new OpenAIRealtimeServer({ apiKey, answers: () => LONG, speed: 1 })
      const gemini = new GeminiLiveServer({ apiKey, answers: () => LONG, speed: 1 })
      let isLost = false
      return {
        vendor: {
          serve: (request) => {
            if (isOpenAI(request)) return isLost ? { refuse: 403 } : openai.serve(request)
            return isLost ? { connect: 'never' } : gemini.serve(request)
          },
        },
        models: (url) => ({
          realtime: fallbackRealtime([new OpenAIRealtime({ url, apiKey }), new GeminiLive({ url, apiKey })]),
        }),
        busy: 'the agent answers',
        announceEnd: () => {
          isLost = true
          openai.drop()
        },
      }
    },
  },
  {
    name: 'fallback realtime, on its second model',
    holds: 'a socket',
    setsUp: 'client first',
    ends: 'going away',
    setUp: () => {
      const gemini = new GeminiLiveServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor: {
          serve: (request) => (isOpenAI(request) ? { refuse: 403 } : gemini.serve(request)),
        },
        models: (url) => ({
          realtime: fallbackRealtime([new OpenAIRealtime({ url, apiKey }), new GeminiLive({ url, apiKey })]),
        }),
        busy: 'the agent answers',
        announceEnd: () => gemini.goAway(1_000),
      }
    },
  },
  ...localSubjects,
]
