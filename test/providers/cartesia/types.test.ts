import type {
  GenerationConfig,
  GenerationRequest,
  WebsocketClientEvent,
  WebsocketResponse,
} from '@cartesia/cartesia-js/resources/tts'
import { describe, expectTypeOf, it } from 'vitest'
import type {
  Cancel,
  CartesiaMessage,
  Chunk,
  Done,
  Failure,
  Generation,
  Timestamps,
} from '../../../src/providers/cartesia/cartesia-messages.ts'
describe('the Cartesia provider', () => {
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
