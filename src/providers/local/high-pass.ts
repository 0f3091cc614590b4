/** The sample rate of everything below, in Hz. */
export const RATE = 8_000
/** In Hz. Below it are mains hum, street rumble and bumps on a table, but little speech. */
const CUTOFF = 200

// Two second-order Butterworth filters in series.
const k = Math.tan((Math.PI * CUTOFF) / RATE)
const norm = 1 / (1 + Math.SQRT2 * k + k * k)
const a1 = 2 * (k * k - 1) * norm
const a2 = (1 - Math.SQRT2 * k + k * k) * norm
/** Scales the energy: the loop leaves out the gains of both filters, and full scale. */
const gain = (norm * norm) ** 2 / 32_768 ** 2

/**
 * The state of a high-pass filter: the last two samples of the input, of the first filter's output and of the second filter's
 * output; then the energy that has passed. One array, and not an object around it: a frame finds little of its call in the
 * cache, and each object that it needs is another wait for memory.
 */
export type HighPass = Float64Array

export const newHighPass = (): HighPass => new Float64Array(7)

/**
 * Filters every `step`th sample from one index to another, and adds up the energy of what passes. It runs for most samples of
 * every call, so the loop uses only local variables and scales nothing. It adds the last output at the very end, because
 * everything else can be computed before that is known.
 */
export function filter(state: HighPass, samples: Int16Array, from: number, to: number, step: number): void {
  let in1 = state[0]!
  let in2 = state[1]!
  let mid1 = state[2]!
  let mid2 = state[3]!
  let out1 = state[4]!
  let out2 = state[5]!
  let sum = state[6]!
  for (let index = from; index < to; index += step) {
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
  state[0] = in1
  state[1] = in2
  state[2] = mid1
  state[3] = mid2
  state[4] = out1
  state[5] = out2
  state[6] = sum
}

/** Returns the energy that has passed since the last call; full scale is 1. */
export function takeEnergy(state: HighPass): number {
  const energy = state[6]! * gain
  state[6] = 0
  return energy
}
