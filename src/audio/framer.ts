import { AudioError } from './errors.ts'
import { samplesIn, type AudioFrame, type SampleRate } from './frame.ts'

export interface FramerOptions {
  readonly sampleRate: SampleRate
  /** Milliseconds per frame; must be a whole number of samples. Default: 20, as on telephone lines and WebRTC. */
  readonly duration?: number
}

/**
 * Cuts chunks of any size into frames of one length.
 *
 * A frame that lies within one chunk is a view of it; only frames that straddle chunks are copied. So do not
 * write into a chunk after pushing it.
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
        `a frame of ${duration} ms is not a whole number of samples at ${sampleRate} Hz: use 20, for example`,
      )
    }
    this.sampleRate = sampleRate
    this.#size = size
  }

  /** Milliseconds of an incomplete frame. */
  get remainder(): number {
    return (this.#filled * 1000) / this.sampleRate
  }

  /** Returns the frames that these samples complete. */
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

  /** Returns the remainder, padded with silence to a whole frame. Undefined if there is none. */
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
