import type {
  AudioEncoding,
  DeliveryMode,
  TextNormalization,
  TimestampInfo,
  TimestampType,
} from '@inworld/tts'
import { describe, expectTypeOf, it } from 'vitest'
import type { AudioChunk, InworldCreate } from '../../../src/providers/inworld/inworld-messages.ts'
import type { InworldChunk } from '../../../src/testing/servers/inworld-events.ts'

// The SDK speaks over HTTP only, so that it cannot talk to our server. The fields are the same.
describe("the types of Inworld's SDK", () => {
  type Times = NonNullable<TimestampInfo['wordAlignment']>

  it('match what the provider sends and reads', () => {
    expectTypeOf<InworldCreate['audioConfig']['audioEncoding']>().toExtend<AudioEncoding>()
    expectTypeOf<NonNullable<InworldCreate['deliveryMode']>>().toExtend<DeliveryMode>()
    expectTypeOf<NonNullable<InworldCreate['applyTextNormalization']>>().toExtend<TextNormalization>()
    expectTypeOf<InworldCreate['timestampType']>().toExtend<TimestampType>()
    expectTypeOf<TimestampInfo>().toExtend<NonNullable<AudioChunk['timestampInfo']>>()
  })

  it('match what our server sends', () => {
    type Sent = NonNullable<InworldChunk['timestampInfo']>['wordAlignment']
    expectTypeOf<Sent>().toExtend<Omit<Times, 'phoneticDetails'>>()
  })
})
