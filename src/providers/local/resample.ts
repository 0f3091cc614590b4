import type { SampleRate } from '../../audio/index.ts'

/** Half the length of the interpolation filter, in samples of the lower rate. */
const REACH = 16

/** Resamples audio of any rate. The `Resampler` of `src/audio` does not know 22,050 Hz, which speech engines use. */
export function resample(samples: Int16Array, from: number, to: SampleRate): Int16Array {
  if (from === to) return samples
  const { reach, up, down, phases } = interpolation(from, to)
  const out = new Int16Array(Math.ceil((samples.length * up) / down))
  for (let index = 0; index < out.length; index++) {
    const position = index * down
    const first = Math.floor(position / up) - reach + 1
    const taps = phases[position % up]!
    let sum = 0
    for (let tap = 0; tap < taps.length; tap++) sum += (samples[first + tap] ?? 0) * taps[tap]!
    out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return out
}

interface Interpolation {
  readonly reach: number
  /** The ratio of the rates is `up / down`, in lowest terms. */
  readonly up: number
  readonly down: number
  /** Filter weights of the input samples around an output sample, by its position between two input samples. */
  readonly phases: readonly Float64Array[]
}

const interpolations = new Map<number, Interpolation>()

/** A Hann-windowed sinc, computed once per ratio. */
function interpolation(from: number, to: number): Interpolation {
  const known = interpolations.get(from / to)
  if (known) return known
  const common = greatestDivisor(from, to)
  const [up, down] = [to / common, from / common]
  const bandwidth = Math.min(1, to / from)
  // The filter must have closed at half the lower rate, so it starts to fall a little below.
  const cutoff = 0.92 * bandwidth
  const reach = Math.ceil(REACH / bandwidth)
  const phases = Array.from({ length: up }, (_, phase) =>
    Float64Array.from({ length: 2 * reach }, (__, tap) => {
      const distance = tap - reach + 1 - phase / up
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1))
      return cutoff * sinc(cutoff * distance) * window
    }),
  )
  const result = { reach, up, down, phases }
  interpolations.set(from / to, result)
  return result
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}
