import type { TranscribedWord, TranscriptDetails } from '../../parts/index.ts'
import type { Alternative, Word } from './deepgram-messages.ts'

/** What the service says about a final text. `offset` is the audio before the connection, in milliseconds. */
export function detailsOf(
  { confidence, languages, words = [] }: Alternative,
  offset: number,
): TranscriptDetails {
  const [language] = languages ?? []
  const speakers = new Set(words.map(({ speaker }) => speaker))
  const [speaker] = speakers
  return {
    ...(confidence === undefined ? {} : { confidence }),
    ...(language === undefined ? {} : { language }),
    // A text of several speakers has none.
    ...(speaker === undefined || speakers.size > 1 ? {} : { speaker: String(speaker) }),
    ...(words.length === 0 ? {} : { words: words.map((word) => wordOf(word, offset)) }),
  }
}

function wordOf(
  { word = '', punctuated_word: text = word, start = 0, end = start, confidence }: Word,
  offset: number,
): TranscribedWord {
  return {
    text,
    start: offset + start * 1_000,
    end: offset + end * 1_000,
    ...(confidence === undefined ? {} : { confidence }),
  }
}
