import { rms } from '../../src/audio/index.ts'
import { SimRandom } from '../../src/testing/sim-random.ts'

/** What can happen to a voice on its way to the microphone. Deterministic. */
export const surroundings: Readonly<Record<string, (samples: Int16Array) => Int16Array>> = {
  plain: (samples) => samples,
  soft: (samples) => samples.map((sample) => Math.round(sample / 10)),
  noisy: (samples) => mixed(samples, noise(samples.length, rms(samples) / 10)),
  echoing: (samples) =>
    [37, 71, 113].reduce((sound, ms, index) => echo(sound, ms, 0.25 / (index + 1)), samples),
  higher: (samples) => stretched(samples, 1.07),
  lower: (samples) => stretched(samples, 0.93),
}

/** Adds silence before and after, as a VAD cuts speech out. */
export function inSilence(samples: Int16Array): Int16Array<ArrayBuffer> {
  const around = 16 * 300
  const whole = new Int16Array(samples.length + 2 * around)
  whole.set(samples, around)
  return whole
}

function noise(length: number, loudness: number): Int16Array {
  const random = new SimRandom(1)
  const peak = 32_768 * loudness * Math.sqrt(3)
  return Int16Array.from({ length }, () => Math.round((random.next() * 2 - 1) * peak))
}

function mixed(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, index) => Math.max(-32_768, Math.min(32_767, sample + (other[index] ?? 0))))
}

function echo(samples: Int16Array, ms: number, strength: number): Int16Array {
  return mixed(
    samples,
    samples.map((_, index) => Math.round((samples[index - ms * 16] ?? 0) * strength)),
  )
}

/** Makes the voice faster and higher, or slower and lower. */
function stretched(samples: Int16Array, by: number): Int16Array {
  return Int16Array.from({ length: Math.floor(samples.length / by) - 1 }, (_, index) => {
    const at = index * by
    const before = samples[Math.floor(at)] ?? 0
    const after = samples[Math.floor(at) + 1] ?? 0
    return Math.round(before + (after - before) * (at % 1))
  })
}
