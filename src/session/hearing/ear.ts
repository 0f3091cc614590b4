import { Resampler, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { once, pushTo } from '../../scope/index.ts'

/**
 * A model that hears the caller, in a chain with the others:
 *
 *   sound ─▶ ear ─▶ ear ─▶ (resampler) ear ─▶ ear ─▶ (resampler) ear
 *            as it is        at 16 kHz                 at 24 kHz
 */
export class Ear {
  readonly rate: SampleRate
  readonly #stream: { push(frame: AudioFrame): void }
  readonly #failed: (error: unknown) => void
  /** Resamples for this ear, and for those behind it that have none. */
  #resampler: Resampler | undefined
  #next: Ear | undefined

  /** `failed` is called once at most: a model that cannot hear fails again with every frame. */
  constructor(stream: { push(frame: AudioFrame): void }, rate: SampleRate, failed: (error: unknown) => void) {
    this.rate = rate
    this.#stream = stream
    this.#failed = once(failed)
  }

  /**
   * Chains ears for sound with a rate: first those that take it as it is, then the others by rate. Those with the same rate share
   * a resampler, because resampling is the largest CPU cost of a phone call. Returns the first ear.
   */
  static chain(ears: readonly Ear[], rate: SampleRate): Ear | undefined {
    const direct = ears.filter((ear) => ear.rate === rate)
    const others = ears.filter((ear) => ear.rate !== rate).toSorted((one, other) => one.rate - other.rate)
    const chain = [...direct, ...others]
    for (const [index, ear] of chain.entries()) {
      ear.#next = chain[index + 1]
      const from = index === 0 ? rate : chain[index - 1]!.rate
      if (ear.rate !== from) ear.#resampler = new Resampler({ from: rate, to: ear.rate })
    }
    return chain[0]
  }

  /** Hears a frame. `resampled` is the same sound as the ear before has heard it. */
  hear(frame: AudioFrame, resampled: AudioFrame): void {
    const heard = this.#resampler
      ? { samples: this.#resampler.push(frame.samples), sampleRate: this.rate }
      : resampled
    pushTo(this.#stream, heard, this.#failed)
    this.#next?.hear(frame, heard)
  }
}
