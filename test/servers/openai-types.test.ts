import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeServerEvent,
} from 'openai/resources/realtime/realtime'
import { describe, expectTypeOf, it } from 'vitest'
import type { OpenAIClientEvent, OpenAIServerEvent } from '../../src/testing/servers/openai-events.ts'
import type { OpenAIItem } from '../../src/testing/servers/openai-items.ts'

// The compiler compares our types with those of the vendor's SDK, which `src` does not import.
describe('the events of the OpenAI server', () => {
  it('match the types of the SDK', () => {
    expectTypeOf<OpenAIServerEvent>().toExtend<RealtimeServerEvent>()
    expectTypeOf<OpenAIItem>().toExtend<ConversationItem>()
  })

  it('have every field that the SDK requires', () => {
    type Wanted<Type> = Extract<RealtimeServerEvent, { type: Type }>
    type Missing<Event> = Event extends { type: infer Type }
      ? Exclude<RequiredKeys<Wanted<Type>>, keyof Event>
      : never
    expectTypeOf<Missing<OpenAIServerEvent>>().toBeNever()
  })

  it('include every event that the SDK can send', () => {
    expectTypeOf<RealtimeClientEvent>().toExtend<OpenAIClientEvent>()
    expectTypeOf<RealtimeClientEvent['type']>().toEqualTypeOf<OpenAIClientEvent['type']>()
  })
})

type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]
