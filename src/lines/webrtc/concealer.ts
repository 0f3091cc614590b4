/** Milliseconds after which concealed sound has faded out: a longer one is heard as a tone of its own. */
const FADE = 60
/** Milliseconds in which sound that goes on is mixed with the concealed sound before it. */
const JOIN = 5
/** The periods of voices, in milliseconds: 400 Hz to 67 Hz. And how much sound is compared to find one. */
const SHORTEST = 2.5
const LONGEST = 15
const COMPARED = 10

/**
 * Makes up sound for what was lost: repeats the last period of the voice, ever more quietly (WR2). Opus can conceal as well, but the
 * decoder that runs without native code makes 180 ms at a time, whatever was lost.
 */
export class Concealer {
  readonly #perMs: number
  /** The last sound, enough to find a period in it. */
  readonly #past: Int16Array
  /** Where the repeated period begins in the past. Unset while nothing is concealed. */
  #repeated: number | undefined
  /** Samples that were concealed since the last real ones. */
  #concealed = 0

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000
    this.#past = new Int16Array((LONGEST + COMPARED) * this.#perMs)
  }

  /** Takes sound that has arrived. Returns it, joined to concealed sound before it. */
  add(samples: Int16Array): Int16Array {
    const joined = this.#repeated === undefined ? samples : this.#join(samples)
    this.#repeated = undefined
    this.#concealed = 0
    this.#remember(joined)
    return joined
  }

  /** Returns so many samples in place of sound that was lost. */
  conceal(length: number): Int16Array {
    this.#repeated ??= this.#past.length - this.#period()
    const made = Int16Array.from({ length }, (_, index) => this.#sample(this.#concealed + index))
    this.#concealed += length
    return made
  }

  #join(samples: Int16Array): Int16Array {
    const joined = samples.slice()
    const length = Math.min(samples.length, JOIN * this.#perMs)
    for (let i = 0; i < length; i++) {
      const share = (i + 1) / (length + 1)
      joined[i] = Math.round(share * samples[i]! + (1 - share) * this.#sample(this.#concealed + i))
    }
    return joined
  }

  /** The concealed sample at a place after the last real one. */
  #sample(index: number): number {
    const gain = 1 - index / (FADE * this.#perMs)
    if (gain <= 0) return 0
    const begin = this.#repeated!
    return Math.round(gain * this.#past[begin + (index % (this.#past.length - begin))]!)
  }

  #remember(samples: Int16Array): void {
    const past = this.#past
    const fresh = samples.subarray(Math.max(0, samples.length - past.length))
    past.copyWithin(0, fresh.length)
    past.set(fresh, past.length - fresh.length)
  }

  /** The distance at which the last sound resembles itself most, in samples. */
  #period(): number {
    const past = this.#past
    const compared = COMPARED * this.#perMs
    const end = past.length - compared
    let best = { likeness: -Infinity, lag: SHORTEST * this.#perMs }
    for (let lag = SHORTEST * this.#perMs; lag <= LONGEST * this.#perMs; lag++) {
      let product = 0
      let energy = 1
      for (let i = end; i < past.length; i++) {
        product += past[i]! * past[i - lag]!
        energy += past[i - lag]! ** 2
      }
      const likeness = product / Math.sqrt(energy)
      if (likeness > best.likeness) best = { likeness, lag }
    }
    return best.lag
  }
}
