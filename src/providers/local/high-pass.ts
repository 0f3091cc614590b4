import type { SampleRate } from '../../audio/index.ts'

/** In Hz. Below it are mains hum, street rumble and bumps on a table, but little speech. */
const CUTOFF = 200

/** A high-pass filter: two second-order Butterworth filters in series. */
export class HighPass {
  /** Scales the energy: the loop leaves out the gains of both filters, and full scale. */
  readonly #gain: number
  readonly #a1: number
  readonly #a2: number
  /** The last two samples of the input, of the first filter's output and of the second filter's output. */
  readonly #history = new Float64Array(6)

  constructor(sampleRate: SampleRate) {
    const k = Math.tan((Math.PI * CUTOFF) / sampleRate)
    const norm = 1 / (1 + Math.SQRT2 * k + k * k)
    this.#gain = (norm * norm) ** 2 / 32_768 ** 2
    this.#a1 = 2 * (k * k - 1) * norm
    this.#a2 = (1 - Math.SQRT2 * k + k * k) * norm
  }

  /**
   * Filters the samples from one index to another and returns their energy; full scale is 1. It runs for every sample of
   * every call, so the loop uses only local variables and scales nothing. It adds the last output at the very end, because
   * everything else can be computed before that is known.
   */
  energy(samples: Int16Array, from: number, to: number): number {
    const a1 = this.#a1
    const a2 = this.#a2
    const history = this.#history
    let in1 = history[0]!
    let in2 = history[1]!
    let mid1 = history[2]!
    let mid2 = history[3]!
    let out1 = history[4]!
    let out2 = history[5]!
    let sum = 0
    for (let index = from; index < to; index++) {
      const sample = samples[index]!
      const mid = sample - 2 * in1 + in2 - a2 * mid2 - a1 * mid1
      const out = mid - 2 * mid1 + mid2 - a2 * out2 - a1 * out1
      in2 = in1
      in1 = sample
      mid2 = mid1
      mid1 = mid
      out2 = out1
      out1 = out
      sum += out * out
    }
    history[0] = in1
    history[1] = in2
    history[2] = mid1
    history[3] = mid2
    history[4] = out1
    history[5] = out2
    return sum * this.#gain
  }
}
