import { APIConnectionError, stt } from '@livekit/agents'
import type { WebSocket } from 'ws'
import { elapse } from '../ours.ts'
import { opened, over } from './sockets.ts'

/** How a fake of a vendor's client misbehaves. A good one does none of it. */
export interface FakeSttOptions {
  readonly url: string
  /** It keeps its socket when its signal aborts. */
  readonly ignoresSignal?: boolean
  /** It heeds its signal only when it is connected. */
  readonly connectsBlindly?: boolean
  /** It dials again by itself, after so long, and heeds its signal only when it is connected. */
  readonly redials?: number
  /** A drop is an error for good: no retry. */
  readonly fatal?: boolean
  /** Says what was heard once the socket is open. */
  readonly hears?: string
}

/** The client of a speech recogniser, as plugins write them: one WebSocket a stream, opened again when it breaks. */
export class FakeStt extends stt.STT {
  override label = 'fake.stt'
  readonly options: FakeSttOptions

  constructor(options: FakeSttOptions) {
    super({ streaming: true, interimResults: false })
    this.options = options
  }

  protected override _recognize(): Promise<stt.SpeechEvent> {
    throw new Error('it streams')
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
    await over(socket, signal)
    if (this.abortSignal.aborted) return
    throw fatal
      ? new Error('the key has expired')
      : new APIConnectionError({ message: 'the socket has gone' })
  }

  async #dial(signal: AbortSignal | undefined): Promise<WebSocket> {
    const { url, connectsBlindly = false, redials } = this.#options
    const heeded = connectsBlindly || redials !== undefined ? undefined : signal
    for (;;)
      try {
        return await opened(url, heeded)
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
