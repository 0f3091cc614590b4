import { llm } from '@livekit/agents'
import type { WebSocket } from 'ws'
import { never, opened } from './sockets.ts'

export interface FakeRealtimeOptions {
  readonly url: string
  readonly close: 'hangs' | 'throws'
}

/** A realtime client like those of the plugins: one WebSocket per session. It never answers. */
export class FakeRealtime extends llm.RealtimeModel {
  readonly options: FakeRealtimeOptions

  constructor(options: FakeRealtimeOptions) {
    super({
      messageTruncation: false,
      turnDetection: false,
      userTranscription: false,
      autoToolReplyGeneration: false,
      audioOutput: true,
      manualFunctionCalls: true,
    })
    this.options = options
  }

  override get model(): string {
    return 'fake'
  }

  override session(): llm.RealtimeSession {
    return new FakeRealtimeSession(this)
  }

  override async close(): Promise<void> {}
}

class FakeRealtimeSession extends llm.RealtimeSession {
  readonly #close: FakeRealtimeOptions['close']
  readonly #socket: Promise<WebSocket>
  override readonly chatCtx = llm.ChatContext.empty()
  override readonly tools = llm.ToolContext.empty()

  constructor(model: FakeRealtime) {
    super(model)
    this.#close = model.options.close
    this.#socket = opened(model.options.url)
  }

  override async close(): Promise<void> {
    if (this.#close === 'hangs') await never()
    if (this.#close === 'throws') throw new Error('close failed')
    const socket = await this.#socket
    socket.close()
  }

  override async updateInstructions(): Promise<void> {}
  override async updateChatCtx(): Promise<void> {}
  override async updateTools(): Promise<void> {}
  override updateOptions(): void {}
  override pushAudio(): void {}
  override generateReply(): Promise<llm.GenerationCreatedEvent> {
    return never()
  }
  override async commitAudio(): Promise<void> {}
  override async clearAudio(): Promise<void> {}
  override async interrupt(): Promise<void> {}
  override async truncate(): Promise<void> {}
}
