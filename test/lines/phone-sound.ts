import { decodeMuLaw, encodeMuLaw, type AudioFrame } from '../../src/audio/index.ts'

/** Milliseconds of a character. */
export const MS_PER_CHARACTER = 50

const LENGTH = MS_PER_CHARACTER * 8
/** Mu-law for silence: it ends a character. */
const SILENCE = 0xff

/** Words as telephone sound: one character is a plateau at its own code of the mu-law, which no telephone changes. */
export function phoneSoundOf(text: string): AudioFrame {
  const codes = new Uint8Array(text.length * LENGTH)
  for (let index = 0; index < text.length; index++) {
    const end = (index + 1) * LENGTH
    codes.fill(text.charCodeAt(index), end - LENGTH, end - 8)
    codes.fill(SILENCE, end - 8, end)
  }
  return { samples: decodeMuLaw(codes), sampleRate: 8_000 }
}

/** The characters whose end was heard. */
export function wordsInCodes(codes: Iterable<number>): string {
  let words = ''
  let last = SILENCE
  for (const code of codes) {
    if (code === SILENCE && last !== SILENCE) words += String.fromCharCode(last)
    last = code
  }
  return words
}

/** The same for what came out of a line. */
export function wordsInFrames(frames: readonly AudioFrame[]): string {
  return wordsInCodes(frames.flatMap(({ samples }) => [...encodeMuLaw(samples)]))
}
