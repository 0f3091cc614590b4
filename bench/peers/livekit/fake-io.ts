import { voice } from '@livekit/agents'
import type { AudioFrame } from '@livekit/rtc-node'
import { ReadableStream } from 'node:stream/web'

/** A microphone that is open, but silent. */
export class FakeInput extends voice.AudioInput {
  constructor() {
    super()
    this.multiStream.addInputStream(new ReadableStream<AudioFrame>({ start() {} }))
  }
}

export interface FakeOutputOptions {
  /** Whether it never reports that it has played anything. */
  readonly neverFinishes?: boolean
  /** Whether its writes never settle. */
  readonly writesHang?: boolean
  readonly clearThrows?: boolean
}

/** A loudspeaker that plays in real time and reports it. */
export class FakeOutput extends voice.AudioOutput {
  readonly #options: FakeOutputOptions
  #queued = 0
  #timer: NodeJS.Timeout | undefined
  #start = (): void => {}
  /** Resolves when it receives sound for the first time. */
  readonly started = new Promise<void>((resolve) => {
    this.#start = resolve
  })

  constructor(options: FakeOutputOptions = {}) {
    super(24_000)
    this.#options = options
  }

  override async captureFrame(frame: AudioFrame): Promise<void> {
    await super.captureFrame(frame)
    if (this.#queued === 0) this.onPlaybackStarted(Date.now())
    this.#start()
    this.#queued += frame.samplesPerChannel / frame.sampleRate
    if (this.#options.writesHang) await new Promise(() => {})
  }

  override flush(): void {
    super.flush()
    this.#finish(this.#queued, false, this.#queued * 1_000)
  }

  override clearBuffer(): void {
    if (this.#options.clearThrows) throw new Error('clearBuffer failed')
    if (this.#queued === 0) return
    clearTimeout(this.#timer)
    this.#finish(0, true, 0)
  }

  #finish(playbackPosition: number, interrupted: boolean, after: number): void {
    if (this.#options.neverFinishes) return
    this.#timer = setTimeout(() => {
      this.#queued = 0
      this.onPlaybackFinished({ playbackPosition, interrupted })
    }, after)
  }
}
