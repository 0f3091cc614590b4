import type { Content, LiveClientMessage, LiveServerMessage } from '@google/genai'
import { describe, expectTypeOf, it } from 'vitest'
import type {
  GeminiClientMessage,
  GeminiContent,
  GeminiServerMessage,
} from '../../src/testing/servers/index.ts'

/** What is on the wire: the SDK's class has two getters on top. */
type WireMessage = Omit<LiveServerMessage, 'text' | 'data'>

// What the compiler checks here is the vendor's own word: types of its SDK, which `src` does not import.
describe('the messages of the Gemini server', () => {
  it('are all messages that the SDK knows, with no field that it does not', () => {
    expectTypeOf<GeminiServerMessage>().toExtend<WireMessage>()
    expectTypeOf<GeminiContent>().toExtend<Content>()
    expectTypeOf<Unknown<GeminiServerMessage, WireMessage>>().toBeNever()
    type Known = Required<WireMessage>
    type Ours = Required<GeminiServerMessage>
    type Strays = { [K in keyof Ours]: Unknown<Ours[K], Known[K & keyof Known]> }[keyof Ours]
    expectTypeOf<Strays>().toBeNever()
  })

  it('are read whatever the SDK can send', () => {
    expectTypeOf<LiveClientMessage>().toExtend<GeminiClientMessage>()
    expectTypeOf<keyof LiveClientMessage>().toEqualTypeOf<keyof GeminiClientMessage>()
  })
})

/** Every field of the SDK's is optional, so a wrong name would be assignable: the names are compared as well. */
type Unknown<Ours, Known> = Exclude<keyof Ours, keyof Known>
