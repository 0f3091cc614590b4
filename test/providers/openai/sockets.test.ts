import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeServerEvent,
} from 'openai/resources/realtime/realtime'
import type { SpeechCreateParams } from 'openai/resources/audio/speech'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { ClientEvent, NewItem, ServerEvent } from '../../../src/providers/openai-realtime/events.ts'
import { OpenAIRealtime, OpenAIStt } from '../../../src/providers/openai/index.ts'
import type { SpeechBody } from '../../../src/providers/openai/speech-request.ts'
import {
  conformance,
  onFastStage,
  realtimeConformance,
  sttConformance,
  type LlmStep,
} from '../../../src/testing/index.ts'
import { LoopbackServer, OpenAIRealtimeServer } from '../../../src/testing/servers/index.ts'
import { KEY } from './fixture.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'OpenAI Realtime on real sockets',
  realtimeConformance,
  () => {
    const openai = new OpenAIRealtimeServer({ apiKey: KEY, speed: 100, transcriptionAfter: 5 })
    server.serve = openai.serve
    return {
      realtime: new OpenAIRealtime({ apiKey: KEY, url: `${server.url}/v1` }),
      hear: (text) => openai.hear(text),
      answers: (chunks, hangs = false) => {
        const stall: LlmStep[] = hangs ? [{ stall: true }] : []
        openai.answers([...chunks, ...stall])
      },
      results: () =>
        openai.conversation.flatMap((item) => (item.type === 'function_call_output' ? [item.output] : [])),
      refuses: () => {
        openai.manners.refuse = 401
      },
    }
  },
  onFastStage(4),
)

conformance(
  { describe, it },
  'OpenAI transcription on real sockets',
  sttConformance,
  () => {
    let said = ''
    const openai = new OpenAIRealtimeServer({ apiKey: KEY, understands: () => said, transcriptionAfter: 5 })
    server.serve = openai.serve
    return {
      stt: new OpenAIStt({ apiKey: KEY, url: `${server.url}/v1` }),
      hear: (text) => {
        said = text
      },
      refuses: () => {
        openai.manners.refuse = 401
      },
    }
  },
  onFastStage(4),
)

describe('OpenAI providers', () => {
  it('leave no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('send and read events that match the types of the SDK', () => {
    expectTypeOf<ClientEvent>().toExtend<RealtimeClientEvent>()
    expectTypeOf<NewItem>().toExtend<ConversationItem>()
    expectTypeOf<ServerEvent['type']>().toExtend<RealtimeServerEvent['type']>()
    // Each event that is read is assignable from the SDK's type.
    type Sdk<Type> = Extract<RealtimeServerEvent, { type: Type }>
    type Misread<Event> = Event extends { type: infer Type }
      ? Sdk<Type> extends Event
        ? never
        : Type
      : never
    expectTypeOf<Misread<ServerEvent>>().toBeNever()
  })

  it('send speech requests that match the types of the SDK', () => {
    expectTypeOf<SpeechBody>().toExtend<SpeechCreateParams>()
  })
})
