import type { AudioFrame } from '../../src/audio/index.ts'

/** Milliseconds for which a sound must stand still to be a character. */
const PLATEAU = 20
/** How far two samples of a plateau may lie apart after a filter has been over them. */
const RIPPLE = 6
const ZERO = 0x8000

/**
 * The words in a sound of `soundOf` that was resampled on its way, as a browser does with its microphone: the mark behind
 * a character is smeared, but in its middle the plateau stands at its height.
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
