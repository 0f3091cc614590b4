import type { SampleRate } from '../../audio/index.ts'

/** Below it lie the hum of the mains, the rumble of the street and the bumps of a table, and little of speech. */
const CORNER = 200

/** Takes the deep tones out of a sound: two Butterworth high-passes of second order, one behind the other. */
export class LowCut {
  readonly #gain: number
  readonly #a1: number
  readonly #a2: number
  /** The last two samples of the sound, of what the first filter made of it, and of what the second made of that. */
  #before = { in1: 0, in2: 0, mid1: 0, mid2: 0, out1: 0, out2: 0 }

  constructor(sampleRate: SampleRate) {
    const k = Math.tan((Math.PI * CORNER) / sampleRate)
    const norm = 1 / (1 + Math.SQRT2 * k + k * k)
    this.#gain = norm
    this.#a1 = 2 * (k * k - 1) * norm
    this.#a2 = (1 - Math.SQRT2 * k + k * k) * norm
  }

  /**
   * The energy of what is left of the samples between two places, on top of a sum so far; full scale is 1. It sees every
   * sample of every call, so all that the loop needs is a local of it.
   */
  energy(samples: Int16Array, from: number, to: number, so: number): number {
    const gain = this.#gain
    const a1 = this.#a1
    const a2 = this.#a2
    let { in1, in2, mid1, mid2, out1, out2 } = this.#before
    let sum = so
    for (let index = from; index < to; index++) {
      const sample = samples[index]! / 32_768
      const mid = gain * (sample - 2 * in1 + in2) - a1 * mid1 - a2 * mid2
      const out = gain * (mid - 2 * mid1 + mid2) - a1 * out1 - a2 * out2
      in2 = in1
      in1 = sample
      mid2 = mid1
      mid1 = mid
      out2 = out1
      out1 = out
      sum += out * out
    }
    this.#before = { in1, in2, mid1, mid2, out1, out2 }
    return sum
  }
}
