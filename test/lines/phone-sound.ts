import { decodeMuLaw, encodeMuLaw, type AudioFrame } from '../../src/audio/index.ts'

/** Milliseconds per character. */
export const MS_PER_CHARACTER = 50

const LENGTH = MS_PER_CHARACTER * 8
/** Silence in mu-law, which ends a character. */
const SILENCE = 0xff

/** Encodes words as telephone sound: each character is a plateau at its own mu-law code, which no telephone changes. */
export function phoneSoundOf(text: string): AudioFrame {
  const codes = new Uint8Array(text.length * LENGTH)
  for (let index = 0; index < text.length; index++) {
    const end = (index + 1) * LENGTH
    codes.fill(text.charCodeAt(index), end - LENGTH, end - 8)
    codes.fill(SILENCE, end - 8, end)
  }
  return { samples: decodeMuLaw(codes), sampleRate: 8_000 }
}

/** Decodes the characters whose end was heard. */
export function wordsInCodes(codes: Iterable<number>): string {
  let words = ''
  let last = SILENCE
  for (const code of codes) {
    if (code === SILENCE && last !== SILENCE) words += String.fromCharCode(last)
    last = code
  }
  return words
}

/** Decodes the words in frames of a line. */
export function wordsInFrames(frames: readonly AudioFrame[]): string {
  return wordsInCodes(frames.flatMap(({ samples }) => [...encodeMuLaw(samples)]))
}
