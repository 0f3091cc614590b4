import type {
  Content,
  FunctionDeclaration as KnownDeclaration,
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
  FunctionDeclaration,
  Schema,
  ServerContent,
  ServerMessage,
  Setup,
  UsageMetadata,
} from '../../src/providers/gemini/messages.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { conformance, onHurriedStage, realtimeConformance } from '../../src/testing/index.ts'
import { GeminiLiveServer, LoopbackServer } from '../../src/testing/servers/index.ts'
import { KEY, toolOutputs } from './gemini-fixture.ts'

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
  onHurriedStage(10),
)

/** What is on the wire: of a list of names the SDK makes an enum, and its class has two getters on top. */
type Wire<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? Wire<Each>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T
type WireMessage = Omit<LiveServerMessage, 'text' | 'data'>

/** Every field of the SDK's is optional, so a wrong name would be assignable: the names are compared as well. */
type Stray<Ours, Known> = Ours extends readonly (infer Our)[]
  ? Known extends readonly (infer Their)[]
    ? Stray<Our, Their>
    : never
  : Ours extends object
    ? Exclude<KeyOf<Ours>, keyof Known> | StrayBelow<Ours, Known>
    : never
type StrayBelow<Ours, Known> = {
  [Key in KeyOf<Ours> & keyof Known]: Stray<NonNullable<Ours[Key & keyof Ours]>, NonNullable<Known[Key]>>
}[KeyOf<Ours> & keyof Known]
type KeyOf<Union> = Union extends object ? keyof Union : never

describe('the messages of Gemini', () => {
  it('leave no socket behind', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('that are sent are known to its own SDK', () => {
    type Known = Wire<Omit<LiveClientSetup, 'tools' | 'systemInstruction' | 'avatarConfig'>>
    expectTypeOf<Omit<Setup, 'tools' | 'systemInstruction'>>().toExtend<Known>()
    expectTypeOf<Stray<Omit<Setup, 'tools' | 'systemInstruction'>, Known>>().toBeNever()
    expectTypeOf<NonNullable<Setup['systemInstruction']>>().toExtend<Content>()
    expectTypeOf<keyof Setup>().toExtend<keyof LiveClientSetup>()
    type Declaration = Wire<Omit<KnownDeclaration, 'parameters'>>
    expectTypeOf<Omit<FunctionDeclaration, 'parameters'>>().toExtend<Declaration>()
    expectTypeOf<keyof FunctionDeclaration>().toExtend<keyof KnownDeclaration>()
    expectTypeOf<Schema>().toExtend<Wire<KnownSchema>>()
    expectTypeOf<keyof Schema>().toExtend<keyof KnownSchema>()
    expectTypeOf<OurContent>().toExtend<Content>()
    type Sent = Exclude<ClientMessage, { setup: Setup }>
    expectTypeOf<Sent>().toExtend<LiveClientMessage>()
    expectTypeOf<KeyOf<ClientMessage>>().toExtend<keyof LiveClientMessage>()
    type Input = Extract<Sent, { realtimeInput: object }>['realtimeInput']
    expectTypeOf<Stray<Input, NonNullable<LiveClientMessage['realtimeInput']>>>().toBeNever()
    type Response = Extract<Sent, { toolResponse: object }>['toolResponse']
    expectTypeOf<Stray<Response, NonNullable<LiveClientMessage['toolResponse']>>>().toBeNever()
  })

  it('that are read are what its own SDK reads', () => {
    expectTypeOf<WireMessage>().toExtend<ServerMessage>()
    expectTypeOf<keyof ServerMessage>().toExtend<keyof WireMessage>()
    expectTypeOf<keyof ServerContent>().toExtend<keyof NonNullable<WireMessage['serverContent']>>()
    expectTypeOf<keyof UsageMetadata>().toExtend<keyof KnownUsage>()
    expectTypeOf<Stray<ServerMessage, WireMessage>>().toBeNever()
    expectTypeOf<'ACTIVITY_START' | 'ACTIVITY_END'>().toExtend<`${VoiceActivityType}`>()
  })
})
