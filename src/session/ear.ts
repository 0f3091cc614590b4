import { Resampler, type AudioFrame, type SampleRate } from '../audio/index.ts'

/** Lets a model hear the line at the rate it wants. */
export class Ear {
  readonly #push: (frame: AudioFrame) => void
  readonly #rate: SampleRate
  readonly #resampler: Resampler | undefined

  constructor(from: SampleRate, to: SampleRate, push: (frame: AudioFrame) => void) {
    this.#push = push
    this.#rate = to
    if (from !== to) this.#resampler = new Resampler({ from, to })
  }

  hear(frame: AudioFrame): void {
    const resampler = this.#resampler
    this.#push(resampler ? { samples: resampler.push(frame.samples), sampleRate: this.#rate } : frame)
  }
}
