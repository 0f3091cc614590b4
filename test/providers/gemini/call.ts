import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import type { TestCaller, World } from '../../../src/testing/index.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../../src/testing/servers/index.ts'
import { KEY } from './fixture.ts'
import { realtimeCall, type RealtimeCallOptions } from '../realtime-call.ts'

export interface GeminiCallOptions extends RealtimeCallOptions {
  server?: GeminiLiveServerOptions
}

export function aGeminiCall(world: World, { server: manners, ...rest }: GeminiCallOptions = {}) {
  const server = new GeminiLiveServer({ clock: world.clock, apiKey: KEY, ...manners })
  world.network.serve = server.serve
  return { server, ...realtimeCall(world, new GeminiLive({ apiKey: KEY }), rest) }
}

/** Speaks, and then pauses for long enough that the service detects the end of the turn. */
export async function says(caller: TestCaller, text: string): Promise<void> {
  await caller.says(text)
  await caller.pauses(600)
}
