import { AudioError } from './errors.ts'
import { samplesIn, silentLevel, type AudioFrame, type SampleRate } from './frame.ts'

/** The keys of a telephone, row by row, and the frequencies of its rows and columns. */
export const keypad = {
  keys: '123A456B789C*0#D',
  rows: [697, 770, 852, 941],
  columns: [1209, 1336, 1477, 1633],
} as const

export interface ToneOptions {
  readonly sampleRate: SampleRate
  readonly duration: number
  /** Peak of each sine in dBFS. Default: -6; -12 for a key, so that the sum of its two sines is not clipped. */
  readonly peak?: number
}

/** A sine that starts at zero and rises. */
export function sine(hz: number, { sampleRate, duration, peak = -6 }: ToneOptions): AudioFrame {
  return { samples: mix([hz], samplesIn(duration, sampleRate), sampleRate, peak), sampleRate }
}

/** The tone of a telephone key: 0 to 9, *, #, A to D. */
export function dtmf(key: string, { sampleRate, duration, peak = -12 }: ToneOptions): AudioFrame {
  const [row, column] = dtmfFrequencies(key)
  return { samples: mix([row, column], samplesIn(duration, sampleRate), sampleRate, peak), sampleRate }
}

/** The two frequencies of a telephone key, the lower one first. */
export function dtmfFrequencies(key: string): [row: number, column: number] {
  const place = key.length === 1 ? keypad.keys.indexOf(key) : -1
  if (place >= 0) return [keypad.rows[place >> 2]!, keypad.columns[place & 3]!]
  throw new AudioError('BAD_DTMF_KEY', `a telephone has no key '${key}': use 0 to 9, *, #, or A to D`)
}

/**
 * The level of one frequency in a sound: the peak in dBFS of the sine at `hz`, by Goertzel's algorithm. It
 * distinguishes two frequencies that differ by more than 2 / duration, so 50 Hz need 40 ms or more.
 */
export function toneLevel({ samples, sampleRate }: AudioFrame, hz: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / sampleRate)
  let last = 0
  let beforeLast = 0
  for (const sample of samples) {
    const now = sample + turn * last - beforeLast
    beforeLast = last
    last = now
  }
  const power = last * last + beforeLast * beforeLast - turn * last * beforeLast
  const peak = (2 * Math.sqrt(Math.max(0, power))) / Math.max(1, samples.length) / 32768
  return Math.max(silentLevel, 20 * Math.log10(peak))
}

function mix(frequencies: readonly number[], length: number, sampleRate: number, peak: number): Int16Array {
  const amplitude = 32767 * 10 ** (peak / 20)
  const samples = new Int16Array(length)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (const hz of frequencies) sum += Math.sin((2 * Math.PI * hz * i) / sampleRate)
    samples[i] = Math.max(-32768, Math.min(32767, Math.round(amplitude * sum)))
  }
  return samples
}
