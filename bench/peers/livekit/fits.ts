import type { voice } from '@livekit/agents'
import type { Room } from '@livekit/rtc-node'
import type { LiveKitCloseEvent, LiveKitRoom, LiveKitSession } from '../../../src/guard/index.ts'

/** The real types fit those that `guardLiveKit` asks for: only compiled. */
export const fits = {
  session: (session: voice.AgentSession): LiveKitSession => session,
  sessionWithData: (session: voice.AgentSession<{ name: string }>): LiveKitSession => session,
  room: (room: Room): LiveKitRoom => room,
  event: (event: voice.CloseEvent): LiveKitCloseEvent => event,
  /** Internal there: this is where it is noticed if it goes. */
  closing: ({ _closingSignal: signal }: voice.AgentSession): AbortSignal => signal,
}
