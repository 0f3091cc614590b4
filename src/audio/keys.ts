import { AudioError } from './errors.ts'
import { concat, samplesIn, silence, type AudioFrame, type SampleRate } from './frame.ts'
import { dtmf, dtmfFrequencies, keypad, toneLevel } from './tone.ts'

/** How many keys and pauses one string may have: as many as carriers take. */
export const maxKeys = 32

/** Length of a tone and of the gap after it, in milliseconds. Exchanges need 40 ms of each; menus are slower. */
const TONE = 100
const GAP = 100
/** The shortest tone that an exchange must recognise (ITU-T Q.24), in milliseconds. */
const SHORTEST = 40
/** Peak of each of the two sines, in dBFS. */
const PEAK = -9

/** Pauses between keys, in milliseconds: the notation of carriers. */
const pauses: Readonly<Record<string, number>> = { w: 500, W: 1_000 }

/** Throws unless these are telephone keys, `0` to `9`, `*`, `#`, `A` to `D`, and pauses: `w` is 0.5 s, `W` is 1 s. */
export function checkKeys(keys: string): void {
  if (typeof keys !== 'string' || keys === '')
    throw new AudioError(
      'BAD_DTMF_KEY',
      `keys must be a string such as '1w2#'; they are ${JSON.stringify(keys)}`,
    )
  if (keys.length > maxKeys)
    throw new AudioError(
      'BAD_DTMF_KEY',
      `at most ${maxKeys} keys and pauses can be pressed at once, not ${keys.length}: press them in several parts`,
    )
  for (const key of keys) if (pauses[key] === undefined) dtmfFrequencies(key)
}

/** The sound of telephone keys, one frame per key or pause. A key is a tone of 100 ms and a gap of 100 ms. */
export function keySound(keys: string, sampleRate: SampleRate): AudioFrame[] {
  checkKeys(keys)
  return Array.from(keys, (key) => {
    const pause = pauses[key]
    if (pause !== undefined) return silence(pause, sampleRate)
    return concat(
      [dtmf(key, { sampleRate, duration: TONE, peak: PEAK }), silence(GAP, sampleRate)],
      sampleRate,
    )
  })
}

/** How long it takes to press these keys, in milliseconds. */
export function keyDuration(keys: string): number {
  let ms = 0
  for (const key of keys) ms += pauses[key] ?? TONE + GAP
  return ms
}

/** The beginning of `keys` that was pressed if `ms` milliseconds of their sound were heard. */
export function keysHeard(keys: string, ms: number): string {
  let at = 0
  let count = 0
  for (const key of keys) {
    if (ms < at + (pauses[key] ?? SHORTEST)) break
    at += pauses[key] ?? TONE + GAP
    count++
  }
  return keys.slice(0, count)
}

/**
 * The telephone key whose tone is most of what is heard in a frame of 20 ms or more. Undefined if there is none, such as in
 * speech or silence.
 */
export function keyIn(frame: AudioFrame): string | undefined {
  const { samples } = frame
  let power = 0
  for (const sample of samples) power += (sample / 32_768) ** 2
  power /= Math.max(1, samples.length)
  if (power < QUIETEST) return undefined
  const row = strongest(frame, keypad.rows)
  const column = strongest(frame, keypad.columns)
  if (Math.min(row.power, column.power) < power / 10 || row.power + column.power < power * 0.4)
    return undefined
  return keypad.keys[row.index * 4 + column.index]
}

/** Mean square of a sound at -50 dBFS: a tone that is quieter is not recognised. */
const QUIETEST = 1e-5

/** Milliseconds per block that `keysIn` looks at. */
const BLOCK = 20

/** The telephone keys that can be heard in a sound, in order. */
export function keysIn(sound: AudioFrame): string {
  const { samples, sampleRate } = sound
  const length = samplesIn(BLOCK, sampleRate)
  let keys = ''
  let last: string | undefined
  for (let at = 0; at + length <= samples.length; at += length) {
    const key = keyIn({ samples: samples.subarray(at, at + length), sampleRate })
    if (key !== undefined && key !== last) keys += key
    last = key
  }
  return keys
}

function strongest(frame: AudioFrame, frequencies: readonly number[]): { index: number; power: number } {
  let best = { index: 0, power: 0 }
  for (const [index, hz] of frequencies.entries()) {
    const power = 10 ** (toneLevel(frame, hz) / 10) / 2
    if (power > best.power) best = { index, power }
  }
  return best
}
