import { CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramStt } from '../../src/providers/deepgram/index.ts'
import { OpenAIRealtime } from '../../src/providers/openai/index.ts'
import type { SessionOptions } from '../../src/session/index.ts'
import { ScriptedLlm, callTool, type LlmAnswer } from '../../src/testing/index.ts'
import {
  CartesiaServer,
  DeepgramServer,
  LoopbackServer,
  OpenAIRealtimeServer,
} from '../../src/testing/servers/index.ts'

/** The models of an agent, over real links, and the servers at the other ends. */
export interface PhoneModels {
  readonly options: Pick<SessionOptions, 'models' | 'turns'>
  /** The number of open connections at the vendors' side. */
  readonly open: () => number
  /** Resolves when no connection is open at the vendors' side. */
  readonly idle: () => Promise<void>
  /** Makes the STT understand what the caller says next as a word. */
  readonly hear: () => void
  readonly close: () => Promise<void>
}

export const modelNames = ['pipeline', 'realtime'] as const
export type ModelsName = (typeof modelNames)[number]

const apiKey = 'secret'

/** How long the voice takes per character: half as long as people. */
export const MS_PER_CHARACTER = 25

/** The second answer is long, so that the caller can interrupt it. The third one ends the call. */
const answers = (turn: number): LlmAnswer =>
  turn === 0
    ? 'Yes, we are open.'
    : turn === 1
      ? 'We are open from eight in the morning until six in the evening, every day of the week but Sunday.'
      : [callTool('goodbye')]

export const makeModels: Readonly<Record<ModelsName, () => Promise<PhoneModels>>> = {
  pipeline: async () => {
    const deepgram = new DeepgramServer({ key: apiKey })
    const cartesia = new CartesiaServer({ key: apiKey, msPerCharacter: MS_PER_CHARACTER })
    const sttServer = await LoopbackServer.listen({ serve: deepgram.serve })
    const ttsServer = await LoopbackServer.listen({ serve: cartesia.serve })
    let turns = 0
    const models = {
      stt: new DeepgramStt({ url: sttServer.url, apiKey, endsTurns: true, endpointing: 100 }),
      llm: new ScriptedLlm({ answers: () => answers(turns++) }),
      tts: new CartesiaTts({ voice: 'voice', url: ttsServer.url, apiKey }),
    }
    return {
      options: { models, turns: { mode: 'stt', vad: false } },
      open: () => sttServer.open + ttsServer.open,
      idle: async () => {
        await sttServer.whenIdle()
        await ttsServer.whenIdle()
      },
      hear: () => deepgram.hear('hello'),
      close: async () => {
        await sttServer.close()
        await ttsServer.close()
      },
    }
  },
  realtime: async () => {
    let turns = 0
    const openai = new OpenAIRealtimeServer({
      apiKey,
      msPerCharacter: MS_PER_CHARACTER,
      understands: () => 'hello',
      answers: ({ user }) => (user === '' ? 'Good morning, Bright Dental.' : answers(turns++)),
    })
    const server = await LoopbackServer.listen({ serve: openai.serve })
    return {
      options: { models: { realtime: new OpenAIRealtime({ url: server.url, apiKey }) } },
      open: () => server.open,
      idle: () => server.whenIdle(),
      hear: () => {},
      close: () => server.close(),
    }
  },
}
