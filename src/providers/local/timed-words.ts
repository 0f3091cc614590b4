import type { SpokenWord } from '../../parts/index.ts'

/** Something is said from here on: when, and which character of the text it begins with. */
export interface WordStart {
  readonly at: number
  readonly position: number
}

/**
 * The words of a text with their times. A word that is said in several pieces, a price for instance, begins with the
 * first of them; one that is not said at all belongs to the word before it.
 */
export function timedWords(text: string, starts: readonly WordStart[], length: number): SpokenWord[] {
  const words: { text: string; start: number }[] = []
  let silent = ''
  for (const match of text.matchAll(/\S+\s*|^\s+/g)) {
    const end = match.index + match[0].length
    const said = starts.find(({ position }) => position >= match.index && position < end)
    const last = words.at(-1)
    if (said) {
      words.push({ text: silent + match[0], start: Math.min(Math.max(said.at, last?.start ?? 0), length) })
      silent = ''
    } else if (last) last.text += match[0]
    else silent += match[0]
  }
  return words.map(({ text: word, start }, index) => ({
    text: word,
    start,
    end: words[index + 1]?.start ?? length,
  }))
}
