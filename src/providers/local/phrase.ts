import { OptionError } from '../../scope/index.ts'

/** What can be said, as a tree. */
export type Phrase =
  | { readonly type: 'word'; readonly word: string }
  | { readonly type: 'all'; readonly parts: readonly Phrase[] }
  | { readonly type: 'any'; readonly parts: readonly Phrase[] }
  | { readonly type: 'maybe'; readonly part: Phrase }
  | { readonly type: 'slot'; readonly name: string }

/** What can stand in for a `{name}`, by that name. */
export type PhraseSlots = Readonly<Record<string, Phrase>>

/** The longest phrase, in characters. More is a list, and belongs into a slot. */
const LONGEST = 20_000
const TOKEN = /\s*(?:([[\](){}|])|([^\s[\](){}|]+))/y
const WORD = /^\p{L}[\p{L}'’.-]*$/u

/**
 * Reads a phrase: words, `[what may be left out]`, `(one|or another)`, and `{slot}`.
 *
 * ```ts
 * parsePhrase('book [me in] on (monday|tuesday) [at {time}]')
 * ```
 */
export function parsePhrase(text: string): Phrase {
  const reader = new PhraseReader(text)
  const phrase = reader.any()
  reader.end()
  if (canBeEmpty(phrase)) throw wrong(text, 'nothing in it has to be said: all of it may be left out')
  return phrase
}

class PhraseReader {
  readonly #text: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    if (text.length > LONGEST) throw wrong(text, `it is longer than ${LONGEST} characters`)
    this.#tokens = [...text.matchAll(new RegExp(TOKEN, 'g'))].map((match) => match[1] ?? match[2]!)
  }

  /** Alternatives, up to a closing bracket or the end. */
  any(): Phrase {
    const parts = [this.#all()]
    while (this.#take('|')) parts.push(this.#all())
    return parts.length === 1 ? parts[0]! : { type: 'any', parts }
  }

  end(): void {
    const left = this.#tokens[this.#at]
    if (left !== undefined) throw wrong(this.#text, `there is a '${left}' that closes nothing`)
  }

  #all(): Phrase {
    const parts: Phrase[] = []
    for (let part = this.#part(); part; part = this.#part()) parts.push(part)
    if (parts.length === 0) throw wrong(this.#text, 'words are missing between its brackets and bars')
    return parts.length === 1 ? parts[0]! : { type: 'all', parts }
  }

  #part(): Phrase | undefined {
    if (this.#take('(')) return this.#closed(this.any(), '(', ')')
    if (this.#take('[')) return { type: 'maybe', part: this.#closed(this.any(), '[', ']') }
    if (this.#take('{')) return this.#closed({ type: 'slot', name: this.#name() }, '{', '}')
    const token = this.#tokens[this.#at]
    if (token === undefined || /^[\])}|]$/.test(token)) return undefined
    this.#at++
    // Punctuation is not spoken.
    const word = token.replaceAll(/^[¿¡"]+|[,.!?;:"]+$/gu, '').toLowerCase()
    if (WORD.test(word)) return { type: 'word', word: word.replaceAll('’', "'") }
    const digits = /\d/.test(token) ? ': write numbers as words' : ''
    throw wrong(this.#text, `'${token}' is not a word${digits}`)
  }

  #name(): string {
    const name = this.#tokens[this.#at++] ?? ''
    if (/^[a-z_]\w*$/i.test(name)) return name
    throw wrong(this.#text, `'{${name}' does not name a slot: write it like {day}`)
  }

  #closed(part: Phrase, opening: string, closing: string): Phrase {
    if (this.#take(closing)) return part
    throw wrong(this.#text, `a '${opening}' has no '${closing}'`)
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }
}

const wrong = (text: string, why: string): OptionError => {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text
  return new OptionError(`cannot read the phrase '${shown}': ${why}`)
}

function canBeEmpty(phrase: Phrase): boolean {
  if (phrase.type === 'all') return phrase.parts.every(canBeEmpty)
  if (phrase.type === 'any') return phrase.parts.some(canBeEmpty)
  return phrase.type === 'maybe'
}

/** The phrase with what its slots stand for in their place. `text` is how it was written, for the error. */
export function fillSlots(phrase: Phrase, slots: PhraseSlots, text: string): Phrase {
  if (phrase.type === 'word') return phrase
  if (phrase.type === 'maybe') return { type: 'maybe', part: fillSlots(phrase.part, slots, text) }
  if (phrase.type !== 'slot')
    return { type: phrase.type, parts: phrase.parts.map((part) => fillSlots(part, slots, text)) }
  const filled = Object.hasOwn(slots, phrase.name) ? slots[phrase.name] : undefined
  if (filled) return filled
  const known = Object.keys(slots).join(', ') || 'none'
  throw wrong(text, `there is no slot '${phrase.name}'; there are: ${known}`)
}

/** The phrase as it would be written. */
export function formatPhrase(phrase: Phrase): string {
  if (phrase.type === 'word') return phrase.word
  if (phrase.type === 'slot') return `{${phrase.name}}`
  if (phrase.type === 'maybe') return `[${formatPhrase(phrase.part)}]`
  const parts = phrase.parts.map(formatPhrase)
  return phrase.type === 'all' ? parts.join(' ') : `(${parts.join('|')})`
}

/** The words in it. */
export function wordsOf(phrase: Phrase): string[] {
  return leavesOf(phrase).flatMap((leaf) => (leaf.type === 'word' ? [leaf.word] : []))
}

/** The names of its slots. */
export function slotsOf(phrase: Phrase): string[] {
  return leavesOf(phrase).flatMap((leaf) => (leaf.type === 'slot' ? [leaf.name] : []))
}

function leavesOf(phrase: Phrase): Extract<Phrase, { type: 'word' | 'slot' }>[] {
  if (phrase.type === 'maybe') return leavesOf(phrase.part)
  return 'parts' in phrase ? phrase.parts.flatMap(leavesOf) : [phrase]
}
