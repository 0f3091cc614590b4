import type { OpenAIClientEvent, OpenAIServerEventBody } from './openai-events.ts'

/** How events look on the wire, for vendors whose protocol is OpenAI's with differences. One per connection. */
export interface OpenAIWire {
  /** The sample rates that PCM may have. */
  readonly rates: readonly number[]
  /** Converts an event of the client into OpenAI's form. Throws `ApiError` if it is invalid. */
  read(event: OpenAIClientEvent): OpenAIClientEvent
  /** Returns the events that are sent in place of this one. */
  write(event: OpenAIServerEventBody): readonly object[]
}

export const openAIWire: OpenAIWire = {
  rates: [24_000],
  read: (event) => event,
  write: (event) => [event],
}
