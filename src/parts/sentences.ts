export interface SentenceOptions {
  /** Longer sentences are cut, at a comma or a space if there is one. Default: 300 characters. */
  readonly maxLength?: number
  /** Additional abbreviations after which no sentence ends, without their last dot: `['approx', 'z.B']`. */
  readonly abbreviations?: Iterable<string>
}

/**
 * Splits a stream of text into sentences. A sentence is complete once the next one has begun. Joined, the sentences are
 * exactly the text, and they do not depend on how the stream was split into pieces.
 *
 * ```ts
 * for await (const sentence of sentences(iterate(text, task))) …
 * ```
 */
export async function* sentences(
  text: AsyncIterable<string>,
  options?: SentenceOptions,
): AsyncGenerator<string, void, undefined> {
  const splitter = new SentenceSplitter(options)
  for await (const piece of text) yield* splitter.push(piece)
  yield* splitter.flush()
}

/** A sentence does not end after these. Most stand before a name or a number. */
const ABBREVIATIONS = [
  'mr mrs ms dr prof rev hon gen col lt sgt capt sen rep gov st mt ft no nos vol fig pp vs approx ca cf al e.g i.e',
  'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat',
  'hr fr nr abs bzw z.b d.h u.a usw str tel inkl zzgl evtl ggf sog vgl mme mlle sra srta av art pág',
].flatMap((line) => line.split(' '))

/**
 * Punctuation that can end a sentence, closing quotes and brackets, and the space that follows; or the end of a line.
 * `\p{STerm}` matches the full stops, question marks and exclamation marks of all scripts.
 */
const END = /([\p{STerm}…]+)["'”’»›)\]}」』】〉》）]*(\s*)|\n\s*/gu
/** Punctuation of scripts without spaces, where the next sentence follows immediately. */
const WIDE = /[。！？｡．]$/u
const OPENING = /^[\p{Pi}\p{Ps}"'¿¡]*/u
const CLAUSE = /[,;:—–、，；：]["'”’)]?\s*/gu

/** Splits text into sentences. A wrong split affects the intonation, but never loses a word. */
export class SentenceSplitter {
  readonly #maxLength: number
  readonly #abbreviations: ReadonlySet<string>
  #text = ''

  constructor({ maxLength = 300, abbreviations = [] }: SentenceOptions = {}) {
    this.#maxLength = Math.max(1, maxLength)
    const own = [...abbreviations].map((each) => each.toLowerCase())
    this.#abbreviations = new Set([...ABBREVIATIONS, ...own])
  }

  /** Returns the sentences that this piece completes. */
  push(piece: string): string[] {
    this.#text += piece
    return this.#take(false)
  }

  /** Returns the remaining text as sentences. No more text may follow. */
  flush(): string[] {
    const complete = this.#take(true)
    const rest = this.#text
    this.#text = ''
    return rest === '' ? complete : [...complete, rest]
  }

  #take(final: boolean): string[] {
    const taken: string[] = []
    for (let end = this.#next(final); end > 0; end = this.#next(final)) {
      taken.push(this.#text.slice(0, end))
      this.#text = this.#text.slice(end)
    }
    return taken
  }

  /** Where the first sentence ends, or 0 if that is not certain yet. */
  #next(final: boolean): number {
    // Looks one character beyond the longest sentence, so that the result does not depend on how the text was split.
    const shown = this.#text.slice(0, this.#maxLength + 1)
    const full = shown.length > this.#maxLength
    for (const match of shown.matchAll(END)) {
      const end = match.index + match[0].length
      if (end > this.#maxLength) break
      const verdict = this.#judge(shown, match)
      if (verdict === 'ends') return end
      if (verdict === 'unsure' && !full) return final && end < shown.length ? end : 0
    }
    return full ? placeToCut(shown) : 0
  }

  #judge(
    shown: string,
    { 0: all, 1: marks, 2: space = '', index }: RegExpExecArray,
  ): 'ends' | 'continues' | 'unsure' {
    const before = shown.slice(0, index)
    const rest = shown.slice(index + all.length)
    if (rest === '') return 'unsure'
    if (marks === undefined) return before.trim() === '' ? 'continues' : 'ends'
    if (WIDE.test(marks)) return 'ends'
    if (space === '') return 'continues'
    if (space.includes('\n')) return 'ends'
    const next = rest.replace(OPENING, '')
    if (next === '') return 'unsure'
    if (/^\p{Ll}/u.test(next)) return 'continues'
    return marks === '.' && this.#abbreviates(before) ? 'continues' : 'ends'
  }

  /** Whether a dot after this text belongs to an abbreviation. */
  #abbreviates(before: string): boolean {
    const word = /[^\s"'“„«(]*$/u.exec(before)?.[0] ?? ''
    if (this.#abbreviations.has(word.toLowerCase())) return true
    // Initials, as in `J. Smith` and `U.S. Army`, but not `So do I.`
    if (/^\p{Lu}(\.\p{Lu})*$/u.test(word) && word !== 'I') return true
    // The number of a list item, or a German ordinal: `am 3. Mai`.
    if (!/^\d{1,3}$/.test(word)) return false
    return /^\s*\d+$|\b(am|vom|zum|bis|ab|seit|im|der|die|das|dem|den|des)\s+\d+$/i.test(before)
  }
}

/** Where to cut a text that is one character too long: after its last clause, else its last word, else at its end. */
function placeToCut(shown: string): number {
  const text = shown.slice(0, -1)
  const half = text.length / 2
  let clause = 0
  for (const match of text.matchAll(CLAUSE)) clause = match.index + match[0].length
  if (clause > half) return clause
  const word = text.search(/\s\S*$/u) + 1
  if (word > half) return word
  // Between two visible characters: never inside a surrogate pair, and never before an accent.
  const last = /[^](?:\p{M}|\u200d)*$/u.exec(shown)
  return last && last.index > half ? last.index : text.length
}
