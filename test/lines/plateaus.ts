import type { AudioFrame } from '../../src/audio/index.ts'

/** Milliseconds for which the level must stay constant to count as a character. */
const PLATEAU = 20
/** By how much two samples of a plateau may differ after filtering. */
const RIPPLE = 6
const ZERO = 0x8000

/**
 * Decodes the words of `soundOf` from sound that was resampled on its way, as a browser does with its microphone: the edges
 * of a character are smeared, but the middle of its plateau keeps its level.
 */
export function wordsIn(frames: readonly AudioFrame[]): string {
  let words = ''
  let plateau: number[] = []
  const ends = (rate: number): void => {
    const middle = plateau.toSorted((one, other) => one - other)[plateau.length >> 1]
    if (middle !== undefined && plateau.length > (PLATEAU * rate) / 1000)
      words += String.fromCharCode(middle + ZERO)
    plateau = []
  }
  for (const { samples, sampleRate } of frames)
    for (const sample of samples) {
      const before = plateau.at(-1) ?? sample
      if (sample === 0 || Math.abs(sample - before) > RIPPLE) ends(sampleRate)
      if (sample !== 0) plateau.push(sample)
    }
  return words
}
