import { OptionError } from '../../scope/index.ts'

/** A phrase as a syntax tree. */
export type Phrase =
  | { readonly type: 'word'; readonly word: string }
  | { readonly type: 'sequence'; readonly parts: readonly Phrase[] }
  | { readonly type: 'choice'; readonly parts: readonly Phrase[] }
  | { readonly type: 'optional'; readonly part: Phrase }
  | { readonly type: 'slot'; readonly name: string }

/** The phrase that each `{slot}` stands for, by name. */
export type PhraseSlots = Readonly<Record<string, Phrase>>

/** In characters. A longer phrase is a list and belongs in a slot. */
const MAX_LENGTH = 20_000
const TOKEN = /\s*(?:([[\](){}|])|([^\s[\](){}|]+))/y
const WORD = /^\p{L}[\p{L}'’.-]*$/u

/**
 * Parses a phrase, made of words, `[optional words]`, `(one|another)` and `{slot}`.
 *
 * ```ts
 * parsePhrase('book [me in] on (monday|tuesday) [at {time}]')
 * ```
 */
export function parsePhrase(text: string): Phrase {
  const reader = new PhraseReader(text)
  const phrase = reader.choice()
  reader.end()
  if (canBeEmpty(phrase)) throw wrong(text, 'all of it is optional')
  return phrase
}

class PhraseReader {
  readonly #text: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    if (text.length > MAX_LENGTH) throw wrong(text, `it is longer than ${MAX_LENGTH} characters`)
    this.#tokens = [...text.matchAll(new RegExp(TOKEN, 'g'))].map((match) => match[1] ?? match[2]!)
  }

  /** Alternatives, up to a closing bracket or the end. */
  choice(): Phrase {
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    return parts.length === 1 ? parts[0]! : { type: 'choice', parts }
  }

  end(): void {
    const token = this.#tokens[this.#at]
    if (token !== undefined) throw wrong(this.#text, `'${token}' has no opening bracket`)
  }

  #sequence(): Phrase {
    const parts: Phrase[] = []
    for (let part = this.#part(); part; part = this.#part()) parts.push(part)
    if (parts.length === 0) throw wrong(this.#text, 'words are missing between its brackets and bars')
    return parts.length === 1 ? parts[0]! : { type: 'sequence', parts }
  }

  #part(): Phrase | undefined {
    if (this.#take('(')) return this.#closed(this.choice(), '(', ')')
    if (this.#take('[')) return { type: 'optional', part: this.#closed(this.choice(), '[', ']') }
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
    throw wrong(this.#text, `'{${name}' is not a slot: write slots like {day}`)
  }

  #closed(part: Phrase, opening: string, closing: string): Phrase {
    if (this.#take(closing)) return part
    throw wrong(this.#text, `'${opening}' has no closing '${closing}'`)
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }
}

const wrong = (text: string, why: string): OptionError => {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text
  return new OptionError(`invalid phrase '${shown}': ${why}`)
}

function canBeEmpty(phrase: Phrase): boolean {
  if (phrase.type === 'sequence') return phrase.parts.every(canBeEmpty)
  if (phrase.type === 'choice') return phrase.parts.some(canBeEmpty)
  return phrase.type === 'optional'
}

/** Replaces the slots in a phrase. `text` is its source, for the error message. */
export function fillSlots(phrase: Phrase, slots: PhraseSlots, text: string): Phrase {
  if (phrase.type === 'word') return phrase
  if (phrase.type === 'optional') return { type: 'optional', part: fillSlots(phrase.part, slots, text) }
  if (phrase.type !== 'slot')
    return { type: phrase.type, parts: phrase.parts.map((part) => fillSlots(part, slots, text)) }
  const filled = Object.hasOwn(slots, phrase.name) ? slots[phrase.name] : undefined
  if (filled) return filled
  const known = Object.keys(slots).join(', ') || 'none'
  throw wrong(text, `there is no slot '${phrase.name}'. Known slots: ${known}`)
}

/** Converts a phrase back to text. */
export function formatPhrase(phrase: Phrase): string {
  if (phrase.type === 'word') return phrase.word
  if (phrase.type === 'slot') return `{${phrase.name}}`
  if (phrase.type === 'optional') return `[${formatPhrase(phrase.part)}]`
  const parts = phrase.parts.map(formatPhrase)
  return phrase.type === 'sequence' ? parts.join(' ') : `(${parts.join('|')})`
}

export function wordsOf(phrase: Phrase): string[] {
  return leavesOf(phrase).flatMap((leaf) => (leaf.type === 'word' ? [leaf.word] : []))
}

/** The names of the slots in a phrase. */
export function slotsOf(phrase: Phrase): string[] {
  return leavesOf(phrase).flatMap((leaf) => (leaf.type === 'slot' ? [leaf.name] : []))
}

function leavesOf(phrase: Phrase): Extract<Phrase, { type: 'word' | 'slot' }>[] {
  if (phrase.type === 'optional') return leavesOf(phrase.part)
  return 'parts' in phrase ? phrase.parts.flatMap(leavesOf) : [phrase]
}
