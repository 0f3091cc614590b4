import type { SpokenWord } from '../../parts/index.ts'
import { partOf, sharesOf, type Share } from './text-shares.ts'

/**
 * Letters a millisecond, with spaces: 160 words a minute, what voices do unless told otherwise. It bounds the guess while
 * a speech is being made, because then nobody knows how much of the text the sound so far is.
 */
const USUAL_PACE = 0.016

/** A word is looked for this far ahead in the text, in characters: voices leave out what they cannot say. */
const LOOKAHEAD = 100

/** Sound behind the last timed word that may be words without a time, in milliseconds; less is silence. */
const UNTIMED = 500

export interface HeardTextOptions {
  /** How fast the voice speaks, in letters a millisecond, if that is known: `pace` of an earlier speech of it. */
  readonly pace?: number | undefined
}

/**
 * Tells which part of a speech's text was heard, from how many milliseconds of its sound were.
 *
 * Where the voice tells when each word is spoken, the answer is exact, and a word that was cut in its middle is cut in
 * the text, too: 'Good mor'. Where it does not, the text is shared out over the sound by its length. That is a guess, and
 * a guess ends with a whole word: nobody can say that 'mor' was heard and 'ning' was not.
 *
 * Text comes before its sound; what has no sound yet was not heard.
 */
export class HeardText {
  readonly #pace: number
  readonly #words: SpokenWord[] = []
  #text = ''
  #made = 0
  #ended = false
  #shares: { readonly text: string; readonly shares: readonly Share[] } | undefined

  constructor({ pace = USUAL_PACE }: HeardTextOptions = {}) {
    this.#pace = pace > 0 && Number.isFinite(pace) ? pace : USUAL_PACE
  }

  /** All of the text so far, heard or not. */
  get text(): string {
    return this.#text
  }

  /** How much sound there is so far, in milliseconds. */
  get made(): number {
    return this.#made
  }

  /** How fast it was spoken; undefined before the end, and for a speech too short to tell. */
  get pace(): number | undefined {
    if (!this.#ended || this.#made < 1_000) return undefined
    return (this.#sharesFrom(0).at(-1)?.length ?? 0) / this.#made || undefined
  }

  /** More sound was made. `text` is all of the text so far; `words` are those that begin in this sound, if told. */
  sounds(ms: number, text: string, words: readonly SpokenWord[] = []): void {
    this.#text = text
    if (ms > 0 && Number.isFinite(ms)) this.#made += ms
    for (const word of words) {
      if (word.start >= 0 && word.end >= word.start && word.end < Infinity) this.#words.push(word)
    }
  }

  /** All of the text has its sound. */
  ends(text: string): void {
    this.#text = text
    this.#ended = true
  }

  /** The text that was heard when `ms` of the sound were: a beginning of the text. */
  upTo(ms: number): string {
    if (!(ms > 0) || this.#made === 0) return ''
    // Durations are sums of fractions: half a millisecond is nothing that anybody could miss.
    if (this.#ended && ms >= this.#made - 0.5) return this.#text
    const heard = Math.min(ms, this.#made)
    return this.#words.length > 0 ? this.#byWords(heard) : this.#byLength(heard, 0, 0)
  }

  #byWords(ms: number): string {
    let cursor = 0
    let timed = 0
    for (const { text, start, end } of this.#words) {
      const word = text.trim()
      const found = this.#text.slice(cursor, cursor + word.length + LOOKAHEAD).indexOf(word)
      if (end > ms) {
        const part = found < 0 ? '' : partOf(word, Math.max(0, (ms - start) / (end - start)))
        return this.#text.slice(0, part === '' ? cursor : cursor + found + part.length)
      }
      if (found >= 0) cursor += found + word.length
      timed = end
    }
    const rest = this.#ended && this.#made - timed >= UNTIMED
    return rest ? this.#byLength(ms, cursor, timed) : this.#text.slice(0, cursor)
  }

  /** Shares the text from an index on out over the sound from a moment on. */
  #byLength(ms: number, index: number, from: number): string {
    const shares = this.#sharesFrom(index)
    const total = shares.at(-1)?.length ?? 0
    const even = total / (this.#made - from)
    const spoken = (ms - from) * (this.#ended ? even : Math.min(even, this.#pace))
    const last = shares.findLast(({ length }) => length <= spoken)
    return this.#text.slice(0, index + (last?.end ?? 0))
  }

  #sharesFrom(index: number): readonly Share[] {
    const text = this.#text.slice(index)
    if (this.#shares?.text !== text) this.#shares = { text, shares: sharesOf(text) }
    return this.#shares.shares
  }
}
