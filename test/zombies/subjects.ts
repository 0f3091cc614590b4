import { createOpenAI } from '@ai-sdk/openai'
import { AiSdkLlm } from '../../src/providers/ai-sdk/index.ts'
import { CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { LocalStt, LocalTts, LocalVad } from '../../src/providers/local/index.ts'
import { mcpTools } from '../../src/providers/mcp/index.ts'
import { DeepgramStt } from '../../src/providers/deepgram/index.ts'
import { OpenAIRealtime, OpenAIStt, OpenAITts } from '../../src/providers/openai/index.ts'
import type { Models, Toolset } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, callTool } from '../../src/testing/index.ts'
import {
  CartesiaServer,
  ChatServer,
  DeepgramServer,
  GeminiLiveServer,
  OpenAIRealtimeServer,
  OpenAISpeechServer,
  type ChatAnswer,
} from '../../src/testing/servers/index.ts'
import type { Vendor } from './far-side.ts'
import { ToolHost } from './tool-host.ts'

const apiKey = 'secret'
const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it.'

/** What keeps a provider busy. */
export type Busy = 'the caller speaks' | 'the agent speaks' | 'the agent thinks' | 'the agent answers'

export interface Stage {
  readonly vendor: Vendor
  /** The models of the session, with the provider among them. */
  models(url: string): Models
  readonly busy: Busy
  /** From here on requests are not answered. */
  readonly unanswered?: () => void
  readonly toolsets?: (url: string) => readonly Toolset[]
  /** The vendor says that it will end the connection, or that it has. */
  readonly saysEnd?: () => void
}

/** A provider, the vendor's server that it talks to, and how a session keeps it busy. */
export interface Subject {
  readonly name: string
  /** Whether it holds one connection over the call, or makes one for each request. */
  readonly holds: 'a socket' | 'requests' | 'threads'
  /** Whether a connection has to be agreed upon after it is open. */
  readonly setsUp?: boolean
  /** How the vendor closes a connection on which nothing happens. */
  readonly idleEnd?: { readonly code: number; readonly reason: string }
  /** Whether the vendor says before it ends a connection, or that it has expired. */
  readonly ends?: 'going away' | 'expired'
  stage(): Stage
}

const chain = () => ({
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
    stage: () => ({
      vendor: new DeepgramServer({ key: apiKey }),
      models: (url) => ({ ...chain(), stt: new DeepgramStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'cartesia tts',
    holds: 'a socket',
    stage: () => ({
      vendor: new CartesiaServer({ key: apiKey }),
      models: (url) => ({ ...chain(), tts: new CartesiaTts({ voice: 'voice', url, apiKey }) }),
      busy: 'the agent speaks',
    }),
  },
  {
    name: 'ai-sdk llm',
    holds: 'requests',
    stage: () => {
      const vendor = new ChatServer({ key: apiKey })
      let answer: ChatAnswer = [LONG, { rude: 'stalls' }]
      return {
        vendor: {
          http: (request, response) => {
            vendor.answers(answer)
            vendor.http(request, response)
          },
        },
        unanswered: () => {
          answer = { hangs: true }
        },
        models: (url) => {
          const baseURL = `${url.replace(/^ws/, 'http')}/v1`
          return { ...chain(), llm: new AiSdkLlm(createOpenAI({ baseURL, apiKey }).chat('any')) }
        },
        busy: 'the agent thinks',
      }
    },
  },
  {
    name: 'mcp over http',
    holds: 'requests',
    stage: () => {
      const vendor = new ToolHost()
      return {
        vendor,
        unanswered: () => {
          vendor.hangs = true
        },
        models: () => ({ ...chain(), llm: new ScriptedLlm({ answers: () => [callTool('wait')] }) }),
        toolsets: (url) => [mcpTools({ name: 'tools', url: `${url.replace(/^ws/, 'http')}/mcp` })],
        busy: 'the agent thinks',
      }
    },
  },
  {
    name: 'openai realtime',
    holds: 'a socket',
    setsUp: true,
    ends: 'expired',
    stage: () => {
      const vendor = new OpenAIRealtimeServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor,
        models: (url) => ({ realtime: new OpenAIRealtime({ url, apiKey }) }),
        busy: 'the agent answers',
        saysEnd: () => vendor.expire(),
      }
    },
  },
  {
    name: 'openai stt',
    holds: 'a socket',
    setsUp: true,
    stage: () => ({
      vendor: new OpenAIRealtimeServer({ apiKey }),
      models: (url) => ({ ...chain(), stt: new OpenAIStt({ url, apiKey }) }),
      busy: 'the caller speaks',
    }),
  },
  {
    name: 'openai tts',
    holds: 'requests',
    stage: () => {
      const vendor = new OpenAISpeechServer({ apiKey, speed: 1 })
      return {
        vendor,
        models: (url) => ({ ...chain(), tts: new OpenAITts({ url, apiKey }) }),
        unanswered: () => void vendor.treats('hangs', 'hangs', 'hangs'),
        busy: 'the agent speaks',
      }
    },
  },
  {
    name: 'gemini live',
    holds: 'a socket',
    setsUp: true,
    ends: 'going away',
    stage: () => {
      const vendor = new GeminiLiveServer({ apiKey, answers: () => LONG, speed: 1 })
      return {
        vendor,
        models: (url) => ({ realtime: new GeminiLive({ url, apiKey }) }),
        busy: 'the agent answers',
        saysEnd: () => vendor.goAway(1_000),
      }
    },
  },
  {
    name: 'local',
    holds: 'threads',
    stage: () => ({
      vendor: {},
      models: () => ({
        ...chain(),
        stt: new LocalStt({ phrases: ['thank you', 'goodbye'] }),
        vad: new LocalVad(),
        tts: new LocalTts(),
      }),
      busy: 'the agent answers',
    }),
  },
]
