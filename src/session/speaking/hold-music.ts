import { samplesIn, type AudioFrame } from '../../audio/index.ts'

/** Enough for notes below 1.1 kHz, which a telephone passes on, too. */
const RATE = 8_000
/** Milliseconds from one note to the next, and for which a note can be heard. */
const STEP = 500
const NOTE = 3_000
/** Peak of one note. Up to six notes overlap, each of them fading. */
const PEAK = 3_000

/** Four chords, broken into single notes, as steps of half a tone from A4: F, A minor, D minor and C, with sevenths. */
const notes = [
  [-4, 0, 3, 7, 12, 7, 3, 0],
  [0, 3, 7, 10, 15, 10, 7, 3],
  [-7, -4, 0, 3, 8, 3, 0, -4],
  [-9, -5, -2, 2, 7, 2, -2, -5],
].flat()

let made: AudioFrame | undefined

/** The sound that callers hear on hold by default: slow, quiet notes that repeat after 16 s. Made once. */
export function holdMusic(): AudioFrame {
  made ??= { samples: makeNotes(), sampleRate: RATE }
  return made
}

function makeNotes(): Int16Array {
  const step = samplesIn(STEP, RATE)
  const length = samplesIn(NOTE, RATE)
  const samples = new Int16Array(step * notes.length)
  for (const [place, note] of notes.entries()) {
    const pitch = (2 * Math.PI * 440 * 2 ** (note / 12)) / RATE
    for (let at = 0; at < length; at++) {
      // Rises within 40 ms and fades out, so that nothing clicks. The last notes sound on at the beginning of the loop.
      const loudness = Math.min(1, at / 320) * (1 - at / length) ** 2
      const index = (place * step + at) % samples.length
      samples[index] = samples[index]! + Math.round(PEAK * loudness * Math.sin(pitch * at))
    }
  }
  return samples
}
