import type { SpokenWord } from '../../parts/index.ts'

/** The start of something spoken. */
export interface WordStart {
  /** Milliseconds from the start of the speech. */
  readonly at: number
  /** The index of its first character in the text. */
  readonly position: number
}

/**
 * The words of a text with their times. A word that is spoken in several pieces, such as a price, starts with the first
 * piece. A word that is not spoken at all is added to the one before it.
 */
export function timedWords(text: string, starts: readonly WordStart[], length: number): SpokenWord[] {
  const words: { text: string; start: number }[] = []
  let unspoken = ''
  for (const match of text.matchAll(/\S+\s*|^\s+/g)) {
    const end = match.index + match[0].length
    const spoken = starts.find(({ position }) => position >= match.index && position < end)
    const last = words.at(-1)
    if (spoken) {
      const start = Math.min(Math.max(spoken.at, last?.start ?? 0), length)
      words.push({ text: unspoken + match[0], start })
      unspoken = ''
    } else if (last) last.text += match[0]
    else unspoken += match[0]
  }
  return words.map(({ text: word, start }, index) => ({
    text: word,
    start,
    end: words[index + 1]?.start ?? length,
  }))
}
