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

/** What an agent thinks with: models at the ends of real links, and the servers at the other ends. */
export interface Mind {
  readonly options: Pick<SessionOptions, 'models' | 'turns'>
  /** Connections at the vendors' side now. */
  readonly open: () => number
  /** Resolves when there is none. */
  readonly idle: () => Promise<void>
  /** The caller begins to say something: it will be understood as words. */
  readonly hear: () => void
  readonly close: () => Promise<void>
}

export const minds = ['chain', 'realtime'] as const
export type MindName = (typeof minds)[number]

const apiKey = 'secret'

/** How long a character sounds: people need twice as long. */
export const MS_PER_CHARACTER = 25

/** The second turn is answered at length, so that the caller can interrupt it; the third ends the call. */
const answers = (turn: number): LlmAnswer =>
  turn === 0
    ? 'Yes, we are open.'
    : turn === 1
      ? 'We are open from eight in the morning until six in the evening, every day of the week but Sunday.'
      : [callTool('goodbye')]

export const makeMind: Readonly<Record<MindName, () => Promise<Mind>>> = {
  chain: async () => {
    const deepgram = new DeepgramServer({ key: apiKey })
    const cartesia = new CartesiaServer({ key: apiKey, msPerCharacter: MS_PER_CHARACTER })
    const ears = await LoopbackServer.listen({ serve: deepgram.serve })
    const voice = await LoopbackServer.listen({ serve: cartesia.serve })
    let turns = 0
    const models = {
      stt: new DeepgramStt({ url: ears.url, apiKey, endsTurns: true, endpointing: 100 }),
      llm: new ScriptedLlm({ answers: () => answers(turns++) }),
      tts: new CartesiaTts({ voice: 'voice', url: voice.url, apiKey }),
    }
    return {
      options: { models, turns: { mode: 'stt', vad: false } },
      open: () => ears.open + voice.open,
      idle: async () => {
        await ears.whenIdle()
        await voice.whenIdle()
      },
      hear: () => deepgram.hear('hello'),
      close: async () => {
        await ears.close()
        await voice.close()
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
