import { AudioError } from './errors.ts'
import { samplesIn, type AudioFrame, type SampleRate } from './frame.ts'

export interface FramerOptions {
  readonly sampleRate: SampleRate
  /** Length of a frame; a whole number of samples. Default 20, what telephone lines and WebRTC carry. */
  readonly duration?: number
}

/**
 * Cuts chunks of any size into frames of exactly one length.
 *
 * A frame that lies within one chunk is a view of it; only frames that straddle chunks are copied. So whoever
 * pushes a chunk does not write into it any more.
 *
 * @example
 * const framer = new Framer({ sampleRate: 24000 })
 * for (const frame of framer.push(samples)) line.send(frame)
 * const last = framer.flush()
 */
export class Framer {
  readonly sampleRate: SampleRate
  readonly #size: number
  #partial: Int16Array | undefined
  #filled = 0

  constructor({ sampleRate, duration = 20 }: FramerOptions) {
    const size = samplesIn(duration, sampleRate)
    if (size === 0 || size * 1000 !== duration * sampleRate) {
      throw new AudioError(
        'BAD_DURATION',
        `a frame of ${duration} ms is no whole number of samples at ${sampleRate} Hz: use 20, or one that is`,
      )
    }
    this.sampleRate = sampleRate
    this.#size = size
  }

  /** Milliseconds that wait for the rest of their frame. */
  get remainder(): number {
    return (this.#filled * 1000) / this.sampleRate
  }

  /** The frames that are complete with these samples. */
  push(samples: Int16Array): AudioFrame[] {
    const frames: AudioFrame[] = []
    let at = this.#filled > 0 ? this.#fill(samples) : 0
    if (this.#filled === this.#size) frames.push(this.#take())

    for (; samples.length - at >= this.#size; at += this.#size) {
      frames.push(this.#frame(samples.subarray(at, at + this.#size)))
    }
    if (at < samples.length) this.#fill(samples.subarray(at))
    return frames
  }

  /** The remainder, made a whole frame with silence; undefined when nothing waits. */
  flush(): AudioFrame | undefined {
    return this.#filled > 0 ? this.#take() : undefined
  }

  /** Drops the remainder: after an interruption it must not be heard. */
  clear(): void {
    this.#partial = undefined
    this.#filled = 0
  }

  #fill(samples: Int16Array): number {
    this.#partial ??= new Int16Array(this.#size)
    const taken = Math.min(samples.length, this.#size - this.#filled)
    this.#partial.set(taken === samples.length ? samples : samples.subarray(0, taken), this.#filled)
    this.#filled += taken
    return taken
  }

  #take(): AudioFrame {
    const samples = this.#partial ?? new Int16Array(this.#size)
    this.clear()
    return this.#frame(samples)
  }

  #frame(samples: Int16Array): AudioFrame {
    return { samples, sampleRate: this.sampleRate }
  }
}
