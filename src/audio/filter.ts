import type { SampleRate } from './frame.ts'

/**
 * The low-pass filter of the resampler: a sinc under a Kaiser window, the same shape for all ratios, in units of
 * the lower of the two rates. The three numbers were optimised together, for the shortest filter that loses at
 * most 0.1 dB up to 0.9 of the lower Nyquist frequency and attenuates everything above that frequency by 80 dB.
 * The cutoff lies below the middle of that gap, since a fall of 80 dB takes more room than one of 0.1 dB.
 */
const REACH = 45
const SHAPE = 8
const CUTOFF = 0.943

/** Rows that are not symmetric are padded to a multiple of this many steps, so that the convolution has no leftover taps. */
const TAPS_AT_ONCE = 4

/** A low-pass filter split into phases: the taps of an output depend only on where it falls between two inputs. */
export interface Filter {
  /** The ratio of the rates, reduced: `up` outputs for every `down` inputs. */
  readonly up: number
  readonly down: number
  /** The middle of the filter, in 1/up of an input sample. */
  readonly centre: number
  /** How many inputs contribute to an output. */
  readonly taps: number
  /** One row of taps per phase. */
  readonly phases: readonly Row[]
}

/** The taps of one phase, oldest input first. */
export interface Row {
  readonly taps: Float64Array
  /**
   * Set if the row is symmetric. Then `taps` is the half with the older inputs: the tap for input `from + t` is also the
   * tap for input `last - t`. A tap in the middle is halved, because it counts twice.
   */
  readonly mirror: { readonly from: number; readonly last: number } | undefined
}

const filters = new Map<number, Filter>()

/** The filter between two rates, made once per ratio: 8 to 16 kHz and 24 to 48 kHz share a filter. */
export function filterFor(from: SampleRate, to: SampleRate): Filter {
  const ratio = to / from
  let filter = filters.get(ratio)
  if (!filter) {
    filter = design(from, to)
    filters.set(ratio, filter)
  }
  return filter
}

function design(from: number, to: number): Filter {
  const common = greatestCommonDivisor(from, to)
  const up = to / common
  const down = from / common
  const perUnit = Math.max(up, down)
  const centre = REACH * perUnit - 1
  // The filter is symmetric. With these ratios each of its phases is, too, and `three` has no leftover taps.
  const symmetric = up === 1 || (up === 2 && down === 1)
  const taps = roundUp((2 * centre + 1) / up, symmetric ? 1 : TAPS_AT_ONCE * down)

  const phases = Array.from({ length: up }, (_, phase) => {
    const row = new Float64Array(taps)
    for (let tap = 0; tap < taps; tap++) {
      row[taps - 1 - tap] = lowPass((phase + tap * up - centre) / perUnit)
    }
    return symmetric ? half(normalise(row), phase) : { taps: normalise(row), mirror: undefined }
  })
  return { up, down, centre, taps, phases }
}

/** Makes every phase pass a constant unchanged: otherwise the output would hum at the old sample rate. */
function normalise(row: Float64Array): Float64Array {
  const sum = row.reduce((total, tap) => total + tap, 0)
  return row.map((tap) => tap / sum)
}

/** The half of a symmetric row. The row of the second phase is one tap shorter: it begins with a zero. */
function half(row: Float64Array, from: number): Row {
  const last = row.length - 1
  const taps = row.slice(from, Math.floor((from + last) / 2) + 1)
  if ((from + last) % 2 === 0) taps[taps.length - 1]! /= 2
  return { taps, mirror: { from, last } }
}

function lowPass(at: number): number {
  const inside = 1 - (at / REACH) ** 2
  return inside > 0 ? sinc(CUTOFF * at) * bessel(SHAPE * Math.sqrt(inside)) : 0
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** The modified Bessel function I0, by its series: 40 terms are exact to double precision up to an argument of 10. */
function bessel(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; k <= 40; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
