import type {
  GenerationConfig,
  GenerationRequest,
  WebsocketClientEvent,
  WebsocketResponse,
} from '@cartesia/cartesia-js/resources/tts'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type {
  Cancel,
  CartesiaMessage,
  Chunk,
  Done,
  Failure,
  Generation,
  Timestamps,
} from '../../../src/providers/cartesia/cartesia-messages.ts'
import { CartesiaTts } from '../../../src/providers/cartesia/index.ts'
import { conformance, onFastStage, ttsConformance } from '../../../src/testing/index.ts'
import { CartesiaServer, LoopbackServer } from '../../../src/testing/servers/index.ts'

const KEY = 'secret'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'Cartesia on real sockets',
  ttsConformance,
  () => {
    const cartesia = new CartesiaServer({ key: KEY, every: 1 })
    server.serve = cartesia.serve
    return {
      tts: new CartesiaTts({ apiKey: KEY, url: server.url, voice: 'any' }),
      refuses: () => {
        cartesia.manners.refuse = 401
      },
      breaks: () => {
        cartesia.rude.add('fails')
      },
    }
  },
  onFastStage(4),
)

describe('the Cartesia provider', () => {
  it('leaves no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('sends and reads messages that match the types of the SDK', () => {
    expectTypeOf<WebsocketResponse.Chunk>().toExtend<Chunk>()
    expectTypeOf<WebsocketResponse.Timestamps>().toExtend<Timestamps>()
    expectTypeOf<WebsocketResponse.Done>().toExtend<Done>()
    expectTypeOf<WebsocketResponse.Error>().toExtend<Failure>()
    expectTypeOf<CartesiaMessage['type']>().toExtend<WebsocketResponse['type']>()
    expectTypeOf<Cancel>().toExtend<WebsocketClientEvent.CancelContextRequest>()
    // Languages and emotions are strings here, and growing lists in the SDK.
    expectTypeOf<Omit<Generation, 'language' | 'generation_config'>>().toExtend<GenerationRequest>()
    expectTypeOf<keyof Generation>().toExtend<keyof GenerationRequest>()
    type Config = NonNullable<Generation['generation_config']>
    expectTypeOf<Omit<Config, 'emotion'>>().toExtend<Omit<GenerationConfig, 'emotion'>>()
    expectTypeOf<keyof Config>().toExtend<keyof GenerationConfig>()
  })
})
