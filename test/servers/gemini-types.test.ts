import type { Content, LiveClientMessage, LiveServerMessage } from '@google/genai'
import { describe, expectTypeOf, it } from 'vitest'
import type {
  GeminiClientMessage,
  GeminiContent,
  GeminiServerMessage,
} from '../../src/testing/servers/gemini-messages.ts'

/** The SDK's class without its two getters, which are not on the wire. */
type WireMessage = Omit<LiveServerMessage, 'text' | 'data'>

// The compiler compares our types with those of the vendor's SDK, which `src` does not import.
describe('the messages of the Gemini server', () => {
  it('match the types of the SDK and have no unknown fields', () => {
    expectTypeOf<GeminiServerMessage>().toExtend<WireMessage>()
    expectTypeOf<GeminiContent>().toExtend<Content>()
    expectTypeOf<Unknown<GeminiServerMessage, WireMessage>>().toBeNever()
    type Known = Required<WireMessage>
    type Ours = Required<GeminiServerMessage>
    type UnknownBelow = { [K in keyof Ours]: Unknown<Ours[K], Known[K & keyof Known]> }[keyof Ours]
    expectTypeOf<UnknownBelow>().toBeNever()
  })

  it('include every message that the SDK can send', () => {
    expectTypeOf<LiveClientMessage>().toExtend<GeminiClientMessage>()
    expectTypeOf<keyof LiveClientMessage>().toEqualTypeOf<keyof GeminiClientMessage>()
  })
})

/** Names of fields that the SDK does not know. All fields of the SDK are optional, so assignability misses these. */
type Unknown<Ours, Known> = Exclude<keyof Ours, keyof Known>
