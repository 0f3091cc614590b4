import type { Phrase } from './phrase.ts'
import { plainWords } from './plain-words.ts'

/** Finds a phrase in a text of plain words. */
export class PhraseMatcher {
  readonly #pattern: RegExp

  /** The phrase must not contain slots. */
  constructor(phrase: Phrase) {
    this.#pattern = new RegExp(`(?<=^| )${patternOf(phrase)}`, 'g')
  }

  /** Returns the longest match; undefined without one. */
  find(words: string): string | undefined {
    let longest = ''
    for (const [found] of `${words} `.matchAll(this.#pattern))
      if (found.length > longest.length) longest = found
    return longest === '' ? undefined : longest.trim()
  }
}

/** A pattern in which a space follows every word, so that optional parts can be left out. */
function patternOf(phrase: Phrase): string {
  if (phrase.type === 'word')
    return `${plainWords(phrase.word).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)} `
  if (phrase.type === 'optional') return `(?:${patternOf(phrase.part)})?`
  // Never matches: slots have to be filled before.
  if (phrase.type === 'slot') return '(?!)'
  const parts = phrase.parts.map(patternOf)
  return phrase.type === 'sequence' ? parts.join('') : `(?:${parts.join('|')})`
}
