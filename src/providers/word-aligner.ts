import type { SpokenWord } from '../parts/index.ts'
import type { TimedCharacter } from './context-dialect.ts'

/** Writing without spaces between words: each character counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]$/u
const STARTS_UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * Makes words of timed characters. A word may continue in the next message, so the last one is held back until the next
 * word starts or `flush()` is called. A vendor may count times from the start of the context or from the start of each
 * message's audio: times that go back are of the second kind.
 */
export class WordAligner {
  #word: SpokenWord | undefined
  /** The last time of the previous messages, from the start of the context. */
  #last = 0

  /** Returns the words that are complete. `offset` is the duration of the context's audio before this message. */
  push(characters: readonly TimedCharacter[], offset: number): SpokenWord[] {
    const base = (characters[0]?.start ?? 0) < this.#last ? offset : 0
    const complete: SpokenWord[] = []
    for (const { text, ...times } of characters) {
      const start = Math.max(base + times.start, this.#word?.start ?? 0)
      const end = Math.max(base + times.end, start)
      this.#last = Math.max(this.#last, end)
      const word = this.#word
      if (!word) {
        // A leading space belongs to no word.
        if (text.trim() !== '') this.#word = { text, start, end }
      } else if (startsWord(word.text, text)) {
        complete.push(word)
        this.#word = { text, start, end }
      } else this.#word = { text: word.text + text, start: word.start, end: isBlank(text) ? word.end : end }
    }
    return complete
  }

  /** Returns the last word: no more characters follow. */
  flush(): SpokenWord[] {
    const word = this.#word
    this.#word = undefined
    return word ? [word] : []
  }
}

/** Whether the next character starts a new word. */
function startsWord(word: string, next: string): boolean {
  if (isBlank(next)) return false
  if (/\s$/u.test(word) || STARTS_UNSPACED.test(next)) return true
  return UNSPACED.test(word) && /^[\p{L}\p{N}]/u.test(next)
}

const isBlank = (text: string): boolean => text.trim() === ''
