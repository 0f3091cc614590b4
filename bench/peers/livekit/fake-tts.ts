import { ConnectionPool, tts } from '@livekit/agents'
import { AudioFrame } from '@livekit/rtc-node'
import type { WebSocket } from 'ws'
import { elapse } from '../ours.ts'
import { never, opened } from './sockets.ts'

export interface FakeTtsOptions {
  readonly url: string
  /** Whether it keeps its socket and goes on when its signal aborts. */
  readonly ignoresSignal?: boolean
  /** Whether it never produces a frame. */
  readonly stalls?: boolean
  /** Whether it uses sockets of the framework's pool. */
  readonly pooled?: boolean
  /** How many seconds of sound it makes of a text. */
  readonly seconds?: number
}

const RATE = 24_000

/** A TTS client like those of the plugins: one WebSocket per speech, or sockets from a pool. */
export class FakeTts extends tts.TTS {
  override label = 'fake.tts'
  readonly options: FakeTtsOptions
  readonly pool?: ConnectionPool<WebSocket>

  constructor(options: FakeTtsOptions) {
    super(RATE, 1, { streaming: true })
    this.options = options
    if (!options.pooled) return
    this.pool = new ConnectionPool({
      connectCb: () => opened(options.url),
      closeCb: async (socket) => socket.close(),
    })
  }

  override synthesize(): tts.ChunkedStream {
    throw new Error('only streaming is supported')
  }

  override stream({ connOptions }: Parameters<tts.TTS['stream']>[0] = {}): tts.SynthesizeStream {
    return new FakeTtsStream(this, connOptions)
  }
}

class FakeTtsStream extends tts.SynthesizeStream {
  override label = 'fake.tts.stream'
  readonly #options: FakeTtsOptions
  readonly #pool?: ConnectionPool<WebSocket>

  constructor(owner: FakeTts, connOptions?: ConstructorParameters<typeof tts.SynthesizeStream>[1]) {
    super(owner, connOptions)
    this.#options = owner.options
    if (owner.pool) this.#pool = owner.pool
  }

  protected override async run(): Promise<void> {
    if (this.#pool)
      return this.#pool.withConnection((socket) => this.#speak(socket), { signal: this.abortSignal })
    const signal = this.#options.ignoresSignal ? undefined : this.abortSignal
    const socket = await opened(this.#options.url, signal)
    signal?.addEventListener('abort', () => socket.close())
    await this.#speak(socket)
    if (signal) socket.close()
  }

  async #speak(socket: WebSocket): Promise<void> {
    const { ignoresSignal = false, stalls = false, seconds = 5 } = this.#options
    const stopped = (): boolean => !ignoresSignal && this.abortSignal.aborted
    for await (const text of this.input) {
      if (stopped()) return
      if (typeof text === 'symbol') continue
      this.markStarted()
      socket.send(text)
    }
    if (stalls) await never()
    for (let left = seconds * 50; left > 0 && !stopped(); left--) {
      const frame = { requestId: 'speech', segmentId: 'speech', frame: silence(), final: left === 1 }
      if (!this.queue.closed) this.queue.put(frame)
      if (ignoresSignal) await elapse(20)
    }
    if (!this.queue.closed) this.queue.put(tts.SynthesizeStream.END_OF_STREAM)
  }
}

/** 20 ms of silence. */
export function silence(rate = RATE): AudioFrame {
  const samples = rate / 50
  return new AudioFrame(new Int16Array(samples), rate, 1, samples)
}
