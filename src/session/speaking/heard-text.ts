import type { SpokenWord } from '../../parts/index.ts'
import { firstPart, wordEnds, type WordEnd } from './word-ends.ts'

/**
 * Letters per millisecond, spaces included: 160 words a minute, the usual pace of a voice. Limits the estimate while a
 * speech is still being made, because the sound so far may cover only part of the text so far.
 */
const USUAL_PACE = 0.016

/** How far ahead to look for a word in the text, in characters: voices leave out what they cannot say. */
const LOOKAHEAD = 100

/** Sound of at least this length after the last timed word holds words without times; shorter sound is silence. In ms. */
const UNTIMED = 500

export interface HeardTextOptions {
  /** How fast the voice speaks, in letters per millisecond: the `pace` of an earlier speech. Default: 0.016. */
  readonly pace?: number | undefined
}

/**
 * Computes which part of a speech's text was heard from how many milliseconds of its sound were heard.
 *
 * If the voice reports the time of each word, the result is exact, and a word that was cut in the middle is cut in the
 * text as well: 'Good mor'. Otherwise the text is spread over the sound in proportion to its length. That is an estimate,
 * so it ends with a whole word.
 *
 * Text arrives before its sound. Text without sound has not been heard.
 */
export class HeardText {
  readonly #pace: number
  readonly #words: SpokenWord[] = []
  #text = ''
  #made = 0
  #ended = false
  /** The word ends of the text that was looked at last. */
  #cached: { readonly text: string; readonly ends: readonly WordEnd[] } | undefined

  constructor({ pace = USUAL_PACE }: HeardTextOptions = {}) {
    this.#pace = pace > 0 && Number.isFinite(pace) ? pace : USUAL_PACE
  }

  /** The whole text so far, heard or not. */
  get text(): string {
    return this.#text
  }

  /** Milliseconds of sound made so far. */
  get made(): number {
    return this.#made
  }

  /** How fast the text was spoken. Undefined until the speech has ended, and if it was too short to measure. */
  get pace(): number | undefined {
    if (!this.#ended || this.#made < 1_000) return undefined
    return (this.#endsFrom(0).at(-1)?.letters ?? 0) / this.#made || undefined
  }

  /** Adds sound. `text` is the whole text so far; `words` are the words that begin in this sound, if their times are known. */
  addSound(ms: number, text: string, words: readonly SpokenWord[] = []): void {
    this.#text = text
    if (ms > 0 && Number.isFinite(ms)) this.#made += ms
    for (const word of words) {
      if (word.start >= 0 && word.end >= word.start && word.end < Infinity) this.#words.push(word)
    }
  }

  /** All of the text has been made into sound. */
  end(text: string): void {
    this.#text = text
    this.#ended = true
  }

  /** The beginning of the text that was heard in the first `ms` milliseconds of the sound. */
  upTo(ms: number): string {
    if (!(ms > 0) || this.#made === 0) return ''
    // Durations are sums of fractions, so the end of the sound may be off by up to half a millisecond.
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
        const part = found < 0 ? '' : firstPart(word, Math.max(0, (ms - start) / (end - start)))
        return this.#text.slice(0, part === '' ? cursor : cursor + found + part.length)
      }
      if (found >= 0) cursor += found + word.length
      timed = end
    }
    const hasUntimedWords = this.#ended && this.#made - timed >= UNTIMED
    return hasUntimedWords ? this.#byLength(ms, cursor, timed) : this.#text.slice(0, cursor)
  }

  /** Spreads the text after `index` over the sound after `from`. */
  #byLength(ms: number, index: number, from: number): string {
    const ends = this.#endsFrom(index)
    const letters = ends.at(-1)?.letters ?? 0
    const even = letters / (this.#made - from)
    const spoken = (ms - from) * (this.#ended ? even : Math.min(even, this.#pace))
    const last = ends.findLast((end) => end.letters <= spoken)
    return this.#text.slice(0, index + (last?.index ?? 0))
  }

  #endsFrom(index: number): readonly WordEnd[] {
    const text = this.#text.slice(index)
    if (this.#cached?.text !== text) this.#cached = { text, ends: wordEnds(text) }
    return this.#cached.ends
  }
}
