import type { Phrase } from './phrase.ts'
import { plainWords } from './plain-words.ts'

/** Finds a phrase in plain words. */
export class PhraseMatcher {
  readonly #pattern: RegExp

  /** The phrase has no slots left in it. */
  constructor(phrase: Phrase) {
    this.#pattern = new RegExp(`(?<=^| )${patternOf(phrase)}`, 'g')
  }

  /** The longest place where the words have it; undefined if they do not. */
  find(words: string): string | undefined {
    let longest = ''
    for (const [found] of `${words} `.matchAll(this.#pattern))
      if (found.length > longest.length) longest = found
    return longest === '' ? undefined : longest.trim()
  }
}

/** A pattern in which every word has a space behind it, so that parts can be left out without a trace. */
function patternOf(phrase: Phrase): string {
  if (phrase.type === 'word')
    return `${plainWords(phrase.word).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)} `
  if (phrase.type === 'maybe') return `(?:${patternOf(phrase.part)})?`
  // Matches nothing: whoever wants slots fills them first.
  if (phrase.type === 'slot') return '(?!)'
  const parts = phrase.parts.map(patternOf)
  return phrase.type === 'all' ? parts.join('') : `(?:${parts.join('|')})`
}
