import { describe, expect, expectTypeOf, it } from 'vitest'

import type { EndwellError, Models, Toolset } from '../../src/index.ts'
import type { Llm, Realtime, Stt, Tts, Vad } from '../../src/parts/index.ts'
import { AiSdkLlm, type LanguageModel, type StreamPart } from '../../src/providers/ai-sdk/index.ts'
import type { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaTts, type CartesiaStt, type CartesiaTtsOptions } from '../../src/providers/cartesia/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import {
  DeepgramStt,
  LinkError,
  MissingKeyError,
  type DeepgramFluxStt,
  type DeepgramTts,
  type DeepgramSttOptions,
  type LinkErrorCode,
} from '../../src/providers/deepgram/index.ts'
import { GeminiLive, type GeminiLiveOptions } from '../../src/providers/gemini/index.ts'
import {
  LocalError,
  LocalStt,
  LocalTts,
  LocalVad,
  ScriptedDialogue,
  days,
  notUnderstood,
  type Facts,
  type Intent,
  type LocalErrorCode,
  type Say,
  type SileroVad,
} from '../../src/providers/local/index.ts'
import {
  McpToolsetError,
  mcpTools,
  type McpOptions,
  type McpToolsetErrorCode,
} from '../../src/providers/mcp/index.ts'
import {
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
  ProviderError,
  type OpenAIRealtimeOptions,
  type OpenAITurnDetection,
} from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import type { ErrorCode } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')

describe('the models of vendors', () => {
  it('are parts that fit together', () => {
    expectTypeOf<
      DeepgramStt | DeepgramFluxStt | AssemblyAIStt | CartesiaStt | ElevenLabsStt | OpenAIStt | LocalStt
    >().toExtend<Stt>()
    expectTypeOf<AiSdkLlm | ScriptedDialogue>().toExtend<Llm>()
    expectTypeOf<
      CartesiaTts | DeepgramTts | ElevenLabsTts | RimeTts | InworldTts | OpenAITts | LocalTts
    >().toExtend<Tts>()
    expectTypeOf<GeminiLive | OpenAILive | OpenAIRealtime | XaiRealtime>().toExtend<Realtime>()
    expectTypeOf<LocalVad | SileroVad>().toExtend<Vad>()
    expectTypeOf<{ stt: DeepgramStt; llm: AiSdkLlm; tts: CartesiaTts }>().toExtend<Models>()
    expectTypeOf<{ realtime: GeminiLive }>().toExtend<Models>()
    expectTypeOf<{ llm: GeminiLive; tts: CartesiaTts }>().not.toExtend<Models>()
  })

  it('read their key from the environment, so that most have no required options', () =>
    types(() => {
      const models = [new DeepgramStt(), new OpenAIStt(), new OpenAITts(), new OpenAIRealtime()]
      // @ts-expect-error Cartesia has no default voice
      const voiceless = new CartesiaTts()
      // @ts-expect-error a key that may be missing is left out: the provider reads the variable, and names it
      const key: DeepgramSttOptions = { apiKey: process.env['DEEPGRAM_API_KEY'] }
      return [models, voiceless, key, new GeminiLive(), new LocalTts(), new LocalVad()]
    }))

  it('take known options only', () =>
    types(() => {
      const deepgram: DeepgramSttOptions = { endpointing: false, extra: { keyterm: 'endwell', n: 1 } }
      // @ts-expect-error 44.1 kHz is not supported
      const rate: DeepgramSttOptions = { sampleRate: 44_100 }
      // @ts-expect-error `false` switches endpointing off; there is no default to switch on
      const endpointing: DeepgramSttOptions = { endpointing: true }
      // @ts-expect-error vendors' own names are not options
      const snake: DeepgramSttOptions = { smart_format: true }
      // @ts-expect-error the id of a voice is text
      const voice: CartesiaTtsOptions = { voice: { id: 'a' } }
      const compression: GeminiLiveOptions = { compression: { triggerTokens: 10_000 } }
      // @ts-expect-error misspelt
      const trigger: GeminiLiveOptions = { compression: { trigger: 10_000 } }
      return [deepgram, rate, endpointing, snake, voice, compression, trigger]
    }))

  it('cannot be changed once they are made', () =>
    types((stt = {} as DeepgramStt, options = {} as CartesiaTtsOptions) => {
      // @ts-expect-error read-only
      stt.hears = []
      // @ts-expect-error read-only
      options.voice = 'another'
    }))
})

describe('OpenAI', () => {
  it('detects turns in one of two ways, each with its own options', () =>
    types(() => {
      const server: OpenAITurnDetection = { type: 'server', silence: 400 }
      const semantic: OpenAITurnDetection = { type: 'semantic', eagerness: 'low' }
      // @ts-expect-error no such eagerness
      const eager: OpenAITurnDetection = { type: 'semantic', eagerness: 'eager' }
      // @ts-expect-error an option of the other way
      const mixed: OpenAITurnDetection = { type: 'semantic', silence: 400 }
      // @ts-expect-error the vendor's own name
      const vendor: OpenAITurnDetection = { type: 'server_vad' }
      return [server, semantic, eager, mixed, vendor]
    }))

  it('takes a key or a function that returns it, and known ways to send it', () =>
    types(() => {
      const azure: OpenAIRealtimeOptions = { apiKey: () => 'key', auth: 'api-key', transcription: false }
      const entra: OpenAIRealtimeOptions = { apiKey: async () => 'token', auth: 'entra-id' }
      // @ts-expect-error no such way
      const basic: OpenAIRealtimeOptions = { auth: 'basic' }
      // @ts-expect-error a transcription is switched off with `false`, and on by leaving it out
      const on: OpenAIRealtimeOptions = { transcription: true }
      // @ts-expect-error the vendor's own name
      const noise: OpenAIRealtimeOptions = { noiseReduction: 'near_field' }
      return [azure, entra, basic, on, noise]
    }))
})

describe('an LLM of the AI SDK', () => {
  it('takes models that implement its interface', () =>
    types((model = {} as LanguageModel) => {
      expectTypeOf(new AiSdkLlm(model, { temperature: 0 }).name).toEqualTypeOf<string>()
      // @ts-expect-error a gateway's name is not a model
      const named = new AiSdkLlm('gpt-5.4-mini')
      // @ts-expect-error provider options are grouped by provider
      const flat = new AiSdkLlm(model, { providerOptions: { reasoningEffort: 'low' } })
      // @ts-expect-error an older specification
      const old: LanguageModel['specificationVersion'] = 'v1'
      return [named, flat, old]
    }))

  it('streams parts that are told apart by their type', () =>
    types((part = {} as StreamPart) => {
      if (part.type === 'tool-call') expectTypeOf(part.input).toEqualTypeOf<string>()
      if (part.type === 'text-delta') expectTypeOf(part.delta).toEqualTypeOf<string>()
      // @ts-expect-error data of another part
      if (part.type === 'finish') return part.delta
      return undefined
    }))
})

describe('local models', () => {
  it('understand the phrases they are given', () =>
    types(() => {
      // @ts-expect-error without phrases nothing can be recognised
      const deaf = new LocalStt({})
      // @ts-expect-error no such engine
      const engine = new LocalTts({ engine: 'festival' })
      // @ts-expect-error a dialogue has intents
      const dialogue = new ScriptedDialogue({ greeting: 'Hello.' })
      expectTypeOf<typeof notUnderstood>().toEqualTypeOf<'[not understood]'>()
      return [new LocalStt({ phrases: ['hello'] }), deaf, engine, dialogue]
    }))

  it('answer with text, a choice of texts, or a function of the facts', () =>
    types(() => {
      const say: Say = ({ slots, result }) => {
        expectTypeOf(slots['day']).toEqualTypeOf<string | undefined>()
        expectTypeOf(result).toEqualTypeOf<unknown>()
        return `On ${slots['day'] ?? 'which day'}?`
      }
      // @ts-expect-error an answer is text
      const silent: Say = () => undefined
      const book = { says: ['book {day}'], needs: { day: 'Which day?' }, call: 'book', answer: say }
      // @ts-expect-error each slot that is needed has a question
      const needs: Intent = { says: [], needs: ['day'] }
      expectTypeOf<Facts['slots']>().toEqualTypeOf<Readonly<Record<string, string>>>()
      return [new ScriptedDialogue({ slots: { day: days }, intents: { book } }), silent, needs]
    }))
})

describe('an MCP server', () => {
  it('is a process or a URL, not both', () =>
    types(() => {
      expectTypeOf(mcpTools({ command: 'node', args: ['server.js'] })).toEqualTypeOf<Toolset>()
      mcpTools({ url: new URL('https://example.com/mcp'), headers: async () => ({ authorization: 'a' }) })
      // @ts-expect-error neither
      mcpTools({ name: 'files' })
      // @ts-expect-error both
      mcpTools({ command: 'node', url: 'https://example.com/mcp' })
      // @ts-expect-error a URL has no arguments
      mcpTools({ url: 'https://example.com/mcp', args: ['server.js'] })
      // @ts-expect-error a process has no headers
      const headers: McpOptions = { command: 'node', headers: {} }
      // @ts-expect-error a variable that is not set is not passed on
      const env: McpOptions = { command: 'node', env: { TOKEN: process.env['TOKEN'] } }
      return [headers, env]
    }))

  it('can treat each tool differently, with the options of tools', () =>
    types(() => {
      mcpTools({ command: 'node', call: (name) => ({ approval: name === 'delete', timeout: 5_000 }) })
      // @ts-expect-error no such option of a tool
      mcpTools({ command: 'node', call: { retries: 3 } })
      // @ts-expect-error what a tool runs is on the server
      mcpTools({ command: 'node', call: { run: () => {} } })
      mcpTools({ command: 'node', call: { onInterrupt: 'cancel' } })
      // @ts-expect-error no such way
      mcpTools({ command: 'node', call: { onInterrupt: 'stop' } })
    }))
})

describe('the errors of providers', () => {
  it('have the codes of their kind', () =>
    types((link = {} as LinkError, provider = {} as ProviderError) => {
      expectTypeOf<MissingKeyError>().toExtend<EndwellError>()
      expectTypeOf<MissingKeyError['code']>().toEqualTypeOf<ErrorCode>()
      expectTypeOf(link.code).toEqualTypeOf<LinkErrorCode>()
      expectTypeOf<LocalError['code']>().toEqualTypeOf<LocalErrorCode>()
      expectTypeOf<McpToolsetError['code']>().toEqualTypeOf<McpToolsetErrorCode>()
      expectTypeOf(provider.status).toEqualTypeOf<number | undefined>()
      expectTypeOf(provider.retryable).toEqualTypeOf<boolean>()
      expectTypeOf<LocalErrorCode | McpToolsetErrorCode | LinkErrorCode>().toExtend<ErrorCode>()
    }))

  it('cannot be made with the code of another kind', () =>
    types(() => {
      // @ts-expect-error the code of another room
      const local = new LocalError('MCP_GONE', 'gone')
      // @ts-expect-error the code of another room
      const mcp = new McpToolsetError('ENGINE_MISSING', 'missing')
      // @ts-expect-error misspelt
      const misspelt = new McpToolsetError('MCP_GONNE', 'gone')
      return [local, mcp, misspelt]
    }))
})
