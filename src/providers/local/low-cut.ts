import type { SampleRate } from '../../audio/index.ts'

/** Below it lie the hum of the mains, the rumble of the street and the bumps of a table, and little of speech. */
const CORNER = 200

/** Takes the deep tones out of a sound: two Butterworth high-passes of second order, one behind the other. */
export class LowCut {
  readonly #first: HighPass
  readonly #second: HighPass

  constructor(sampleRate: SampleRate) {
    this.#first = new HighPass(sampleRate)
    this.#second = new HighPass(sampleRate)
  }

  next(sample: number): number {
    return this.#second.next(this.#first.next(sample))
  }
}

class HighPass {
  readonly #gain: number
  readonly #a1: number
  readonly #a2: number
  #in1 = 0
  #in2 = 0
  #out1 = 0
  #out2 = 0

  constructor(sampleRate: SampleRate) {
    const k = Math.tan((Math.PI * CORNER) / sampleRate)
    const norm = 1 / (1 + Math.SQRT2 * k + k * k)
    this.#gain = norm
    this.#a1 = 2 * (k * k - 1) * norm
    this.#a2 = (1 - Math.SQRT2 * k + k * k) * norm
  }

  next(sample: number): number {
    const out =
      this.#gain * (sample - 2 * this.#in1 + this.#in2) - this.#a1 * this.#out1 - this.#a2 * this.#out2
    this.#in2 = this.#in1
    this.#in1 = sample
    this.#out2 = this.#out1
    this.#out1 = out
    return out
  }
}
