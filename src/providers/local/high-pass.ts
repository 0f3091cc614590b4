import type { SampleRate } from '../../audio/index.ts'

/** In Hz. Below it are mains hum, street rumble and bumps on a table, but little speech. */
const CUTOFF = 200

/** A high-pass filter: two second-order Butterworth filters in series. */
export class HighPass {
  readonly #gain: number
  readonly #a1: number
  readonly #a2: number
  /** The last two samples of the input, of the first filter's output and of the second filter's output. */
  #history = { in1: 0, in2: 0, mid1: 0, mid2: 0, out1: 0, out2: 0 }

  constructor(sampleRate: SampleRate) {
    const k = Math.tan((Math.PI * CUTOFF) / sampleRate)
    const norm = 1 / (1 + Math.SQRT2 * k + k * k)
    this.#gain = norm
    this.#a1 = 2 * (k * k - 1) * norm
    this.#a2 = (1 - Math.SQRT2 * k + k * k) * norm
  }

  /**
   * Filters the samples from one index to another and returns their energy plus `initial`; full scale is 1. It runs for
   * every sample of every call, so the loop uses only local variables.
   */
  energy(samples: Int16Array, from: number, to: number, initial: number): number {
    const gain = this.#gain
    const a1 = this.#a1
    const a2 = this.#a2
    let { in1, in2, mid1, mid2, out1, out2 } = this.#history
    let sum = initial
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
    this.#history = { in1, in2, mid1, mid2, out1, out2 }
    return sum
  }
}
