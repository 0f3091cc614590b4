import type { SampleRate } from '../../audio/index.ts'

/** How loud speech is made, as root mean square: -20 dBFS, what telephones and browsers expect. */
const LOUDNESS = 0.1
/** The loudest sample there may be, and the most that a soft voice is raised by. */
const PEAK = 0.9
const MOST = 4
/** Half the length of the interpolating filter, in samples of the lower rate. */
const REACH = 16

/** The same sound at another rate, whatever its own is: 22,050 Hz is none that endwell speaks. */
export function resample(samples: Int16Array, from: number, to: SampleRate): Int16Array {
  if (from === to) return samples
  const { reach, up, down, phases } = interpolation(from, to)
  const out = new Int16Array(Math.ceil((samples.length * up) / down))
  for (let index = 0; index < out.length; index++) {
    const place = index * down
    const first = Math.floor(place / up) - reach + 1
    const taps = phases[place % up]!
    let sum = 0
    for (let tap = 0; tap < taps.length; tap++) sum += (samples[first + tap] ?? 0) * taps[tap]!
    out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return out
}

interface Interpolation {
  readonly reach: number
  /** The ratio of the rates, reduced. */
  readonly up: number
  readonly down: number
  /** The weights of the inputs around an output, by where it falls between two of them. */
  readonly phases: readonly Float64Array[]
}

const interpolations = new Map<number, Interpolation>()

/** A sinc under a Hann window, worked out once for a ratio. */
function interpolation(from: number, to: number): Interpolation {
  const made = interpolations.get(from / to)
  if (made) return made
  const common = divisor(from, to)
  const [up, down] = [to / common, from / common]
  const narrow = Math.min(1, to / from)
  // Above half of the lower rate there must be nothing; a little below that it begins to fall.
  const cutoff = 0.92 * narrow
  const reach = Math.ceil(REACH / narrow)
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

/** The same sound, as loud as speech should be. Voices differ by 15 dB. */
export function levelled(samples: Int16Array): Int16Array {
  let sum = 0
  let peak = 1
  for (const sample of samples) {
    sum += sample * sample
    peak = Math.max(peak, Math.abs(sample))
  }
  const rms = Math.sqrt(sum / Math.max(1, samples.length)) / 32_768
  if (rms === 0) return samples
  const gain = Math.min(LOUDNESS / rms, (PEAK * 32_768) / peak, MOST)
  return samples.map((sample) => Math.round(sample * gain))
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other)
}
