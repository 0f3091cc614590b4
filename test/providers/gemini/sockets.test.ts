import type {
  Content,
  FunctionDeclaration as KnownDeclaration,
  LiveClientContextUpdate,
  LiveClientMessage,
  LiveClientSetup,
  LiveServerMessage,
  Schema as KnownSchema,
  UsageMetadata as KnownUsage,
  VoiceActivityType,
} from '@google/genai'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type {
  ClientMessage,
  Content as OurContent,
  ContextUpdate,
  FunctionDeclaration,
  Schema,
  ServerContent,
  ServerMessage,
  Setup,
  UsageMetadata,
} from '../../../src/providers/gemini/messages.ts'
import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import { conformance, onFastStage, realtimeConformance } from '../../../src/testing/index.ts'
import { GeminiLiveServer, LoopbackServer } from '../../../src/testing/servers/index.ts'
import { KEY, toolOutputs } from './fixture.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'Gemini on real sockets',
  realtimeConformance,
  () => {
    const gemini = new GeminiLiveServer({ apiKey: KEY, answers: () => [], speed: 50, msPerCharacter: 2 })
    server.serve = gemini.serve
    return {
      realtime: new GeminiLive({ apiKey: KEY, url: server.url }),
      inputIsObject: true,
      hear: (text) => gemini.hear(text),
      answers: (chunks, hangs = false) => {
        gemini.answers(hangs ? [...chunks, { stall: true }] : chunks)
      },
      results: () => toolOutputs(gemini),
      refuses: () => {
        gemini.manners.refuse = 403
      },
      breaks: () => {
        gemini.manners.refuse = 403
        gemini.drop()
      },
    }
  },
  onFastStage(10),
)

/** The JSON form of an SDK type: enums become strings. `LiveServerMessage` also has two getters, left out below. */
type Wire<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? Wire<Each>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T
type WireMessage = Omit<LiveServerMessage, 'text' | 'data'>

/** Names of fields that the SDK does not know. All fields of the SDK are optional, so assignability misses these. */
type UnknownKeys<Ours, Known> = Ours extends readonly (infer Our)[]
  ? Known extends readonly (infer Their)[]
    ? UnknownKeys<Our, Their>
    : never
  : Ours extends object
    ? Exclude<KeyOf<Ours>, keyof Known> | UnknownKeysBelow<Ours, Known>
    : never
type UnknownKeysBelow<Ours, Known> = {
  [Key in KeyOf<Ours> & keyof Known]: UnknownKeys<
    NonNullable<Ours[Key & keyof Ours]>,
    NonNullable<Known[Key]>
  >
}[KeyOf<Ours> & keyof Known]
type KeyOf<Union> = Union extends object ? keyof Union : never

describe('Gemini messages', () => {
  it('leave no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('that are sent match the types of its SDK', () => {
    type Known = Wire<Omit<LiveClientSetup, 'tools' | 'systemInstruction' | 'avatarConfig'>>
    expectTypeOf<Omit<Setup, 'tools' | 'systemInstruction'>>().toExtend<Known>()
    expectTypeOf<UnknownKeys<Omit<Setup, 'tools' | 'systemInstruction'>, Known>>().toBeNever()
    expectTypeOf<NonNullable<Setup['systemInstruction']>>().toExtend<Content>()
    expectTypeOf<keyof Setup>().toExtend<keyof LiveClientSetup>()
    type Declaration = Wire<Omit<KnownDeclaration, 'parameters'>>
    expectTypeOf<Omit<FunctionDeclaration, 'parameters'>>().toExtend<Declaration>()
    expectTypeOf<keyof FunctionDeclaration>().toExtend<keyof KnownDeclaration>()
    expectTypeOf<Schema>().toExtend<Wire<KnownSchema>>()
    expectTypeOf<keyof Schema>().toExtend<keyof KnownSchema>()
    expectTypeOf<OurContent>().toExtend<Content>()
    type Sent = Exclude<ClientMessage, { setup: Setup }>
    expectTypeOf<Exclude<Sent, { contextUpdate: object }>>().toExtend<
      Wire<Omit<LiveClientMessage, 'setup' | 'contextUpdate'>>
    >()
    expectTypeOf<keyof ContextUpdate>().toExtend<keyof LiveClientContextUpdate>()
    expectTypeOf<KeyOf<ClientMessage>>().toExtend<keyof LiveClientMessage>()
    type Input = Extract<Sent, { realtimeInput: object }>['realtimeInput']
    expectTypeOf<UnknownKeys<Input, NonNullable<LiveClientMessage['realtimeInput']>>>().toBeNever()
    type Response = Extract<Sent, { toolResponse: object }>['toolResponse']
    expectTypeOf<UnknownKeys<Response, NonNullable<LiveClientMessage['toolResponse']>>>().toBeNever()
  })

  it('that are read match the types of its SDK', () => {
    expectTypeOf<WireMessage>().toExtend<ServerMessage>()
    expectTypeOf<keyof ServerMessage>().toExtend<keyof WireMessage>()
    expectTypeOf<keyof ServerContent>().toExtend<keyof NonNullable<WireMessage['serverContent']>>()
    expectTypeOf<keyof UsageMetadata>().toExtend<keyof KnownUsage>()
    expectTypeOf<UnknownKeys<ServerMessage, WireMessage>>().toBeNever()
    expectTypeOf<'ACTIVITY_START' | 'ACTIVITY_END'>().toExtend<`${VoiceActivityType}`>()
  })
})
