import type { SpokenWord } from '../parts/index.ts'

/** The end of a word in Chinese or Japanese, which have no spaces between words, or their punctuation. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3000-\u303F\uFF00-\uFFEF]\p{P}*$/u

/** The word with the space that follows it, if its script has spaces. */
export const withSpace = (word: string): string => (UNSPACED.test(word) ? word : `${word} `)

/** The words of parallel lists. Their times are in seconds. */
export function wordsOf(
  words: readonly string[] = [],
  start: readonly number[] = [],
  end: readonly number[] = [],
): SpokenWord[] {
  return words.map((word, index) => ({
    text: withSpace(word),
    start: (start[index] ?? 0) * 1_000,
    end: (end[index] ?? start[index] ?? 0) * 1_000,
  }))
}
