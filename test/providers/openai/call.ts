import { OpenAIRealtime } from '../../../src/providers/openai/index.ts'
import type { TestCaller, World } from '../../../src/testing/index.ts'
import type { OpenAIRealtimeServerOptions } from '../../../src/testing/servers/index.ts'
import { KEY, serve } from './fixture.ts'
import { realtimeCall, type RealtimeCallOptions } from '../realtime-call.ts'

export interface OpenAICallOptions extends RealtimeCallOptions {
  openai?: OpenAIRealtimeServerOptions
}

export type OpenAICall = ReturnType<typeof anOpenAICall>

export function anOpenAICall(world: World, { openai = {}, ...rest }: OpenAICallOptions = {}) {
  const server = serve(world, openai)
  return { server, ...realtimeCall(world, new OpenAIRealtime({ apiKey: KEY }), rest) }
}

/** Speaks, and then pauses for long enough that the service detects the end of the turn. Does not wait for that. */
export function says(caller: TestCaller, text: string): void {
  caller
    .says(text)
    .then(() => caller.pauses(600))
    .catch(() => {})
}
