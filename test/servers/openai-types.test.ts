import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeServerEvent,
} from 'openai/resources/realtime/realtime'
import { describe, expectTypeOf, it } from 'vitest'
import type { OpenAIClientEvent, OpenAIItem, OpenAIServerEvent } from '../../src/testing/servers/index.ts'

// What the compiler checks here is the vendor's own word: types of its SDK, which `src` does not import.
describe('the events of the OpenAI server', () => {
  it('are all events that the SDK knows', () => {
    expectTypeOf<OpenAIServerEvent>().toExtend<RealtimeServerEvent>()
    expectTypeOf<OpenAIItem>().toExtend<ConversationItem>()
  })

  it('have, each of them, every field that the SDK wants of that type', () => {
    type Wanted<Type> = Extract<RealtimeServerEvent, { type: Type }>
    type Missing<Event> = Event extends { type: infer Type }
      ? Exclude<RequiredKeys<Wanted<Type>>, keyof Event>
      : never
    expectTypeOf<Missing<OpenAIServerEvent>>().toBeNever()
  })

  it('are read whatever event the SDK can send', () => {
    expectTypeOf<RealtimeClientEvent>().toExtend<OpenAIClientEvent>()
    expectTypeOf<RealtimeClientEvent['type']>().toEqualTypeOf<OpenAIClientEvent['type']>()
  })
})

type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]
