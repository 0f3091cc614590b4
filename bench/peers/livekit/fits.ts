import type { voice } from '@livekit/agents'
import type { Room } from '@livekit/rtc-node'
import type { LiveKitCloseEvent, LiveKitRoom, LiveKitSession } from '../../../src/guard/index.ts'

/** Compile-time check that the real types are assignable to those of `guardLiveKit`. */
export const fits = {
  session: (session: voice.AgentSession): LiveKitSession => session,
  sessionWithData: (session: voice.AgentSession<{ name: string }>): LiveKitSession => session,
  room: (room: Room): LiveKitRoom => room,
  event: (event: voice.CloseEvent): LiveKitCloseEvent => event,
  /** An internal field of the framework. This fails to compile if it is removed. */
  closing: ({ _closingSignal: signal }: voice.AgentSession): AbortSignal => signal,
}
