import { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from './openai-realtime-server.ts'
import type { OpenAIWire } from './openai-wire.ts'
import { XaiWire } from './xai-wire.ts'

export type XaiRealtimeServerOptions = OpenAIRealtimeServerOptions

/**
 * xAI's Voice Agent API, for tests: `wss://…/v1/realtime?model=…`. Like `OpenAIRealtimeServer`, with the vendor's own
 * settings and `force_message`, and rude where the vendor is (see `XaiWire`). By default an answer begins after 100 ms, when
 * the transcript of its turn has arrived.
 */
export class XaiRealtimeServer extends OpenAIRealtimeServer {
  constructor(options: XaiRealtimeServerOptions = {}) {
    super({ firstAfter: 100, ignoresClose: false, ...options })
  }

  protected override wire(): OpenAIWire {
    return new XaiWire()
  }
}
