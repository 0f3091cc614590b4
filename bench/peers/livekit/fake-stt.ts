import { APIConnectionError, stt } from '@livekit/agents'
import type { WebSocket } from 'ws'
import { elapse } from '../ours.ts'
import { closed, opened } from './sockets.ts'

/** How the fake of a vendor's client misbehaves. */
export interface FakeSttOptions {
  readonly url: string
  /** Whether it keeps its socket when its signal aborts. */
  readonly ignoresSignal?: boolean
  /** Whether it ignores its signal while it connects. */
  readonly connectsBlindly?: boolean
  /** Milliseconds after which it reconnects on its own, ignoring its signal until it is connected. */
  readonly redials?: number
  /** Whether a drop is a permanent error, without a retry. */
  readonly fatal?: boolean
  /** A transcript to send once the socket is open. */
  readonly hears?: string
}

/** An STT client like those of the plugins: one WebSocket per stream, reopened when it breaks. */
export class FakeStt extends stt.STT {
  override label = 'fake.stt'
  readonly options: FakeSttOptions

  constructor(options: FakeSttOptions) {
    super({ streaming: true, interimResults: false })
    this.options = options
  }

  protected override _recognize(): Promise<stt.SpeechEvent> {
    throw new Error('only streaming is supported')
  }

  override stream({ connOptions }: Parameters<stt.STT['stream']>[0] = {}): stt.SpeechStream {
    return new FakeSttStream(this, connOptions)
  }
}

class FakeSttStream extends stt.SpeechStream {
  override label = 'fake.stt.stream'
  readonly #options: FakeSttOptions

  constructor(owner: FakeStt, connOptions?: ConstructorParameters<typeof stt.SpeechStream>[2]) {
    super(owner, 16_000, connOptions)
    this.#options = owner.options
  }

  protected override async run(): Promise<void> {
    const { ignoresSignal = false, hears, fatal = false } = this.#options
    const signal = ignoresSignal ? undefined : this.abortSignal
    const socket = await this.#dial(signal)
    if (hears !== undefined) this.#hear(hears)
    await closed(socket, signal)
    if (this.abortSignal.aborted) return
    throw fatal
      ? new Error('the key has expired')
      : new APIConnectionError({ message: 'the socket was closed' })
  }

  async #dial(signal: AbortSignal | undefined): Promise<WebSocket> {
    const { url, connectsBlindly = false, redials } = this.#options
    const connectSignal = connectsBlindly || redials !== undefined ? undefined : signal
    for (;;)
      try {
        return await opened(url, connectSignal)
      } catch (error) {
        if (redials === undefined) throw new APIConnectionError({ message: (error as Error).message })
        await elapse(redials)
      }
  }

  #hear(text: string): void {
    const alternative = { text, language: 'en' as never, startTime: 0, endTime: 1, confidence: 1 }
    this.queue.put({ type: stt.SpeechEventType.START_OF_SPEECH })
    this.queue.put({ type: stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives: [alternative] })
    this.queue.put({ type: stt.SpeechEventType.END_OF_SPEECH })
  }
}
