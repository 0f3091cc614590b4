/** Scripts without spaces between words: only a dictionary knows where their words end. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** In these scripts a character is a syllable, which takes about as long to say as three letters. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const SYLLABLE = 3

/** Accents, joiners and variation selectors modify the character before them and take no time to say. */
const SILENT = /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u

/** Created when they are first needed: loading their dictionaries would be a tenth of the cost of importing endwell. */
let words: Intl.Segmenter | undefined
let graphemes: Intl.Segmenter | undefined

/** Where a word of a text ends: its index, and how much there is to say up to there, in letters. */
export interface WordEnd {
  readonly index: number
  readonly letters: number
}

/** Finds the ends of all words in a text. */
export function wordEnds(text: string): WordEnd[] {
  const ends: WordEnd[] = []
  let letters = 0
  for (const { 0: token, index: start } of text.matchAll(/\S+/g)) {
    let index = start
    for (const word of UNSPACED.test(token) ? wordsOf(token) : [token]) {
      index += word.length
      letters += lettersOf(word)
      ends.push({ index, letters })
    }
    // The pause between two words.
    letters++
  }
  return ends
}

/** The words of a text without spaces, each with the punctuation that follows it. */
function wordsOf(token: string): string[] {
  words ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  const found: string[] = []
  for (const { segment, isWordLike } of words.segment(token)) {
    if (isWordLike || found.length === 0) found.push(segment)
    else found.push(found.pop()! + segment)
  }
  return found
}

function lettersOf(word: string): number {
  let letters = 0
  for (const character of word) {
    if (SILENT.test(character)) continue
    letters += SYLLABLES.test(character) ? SYLLABLE : 1
  }
  return letters
}

/** The first `share` of a word, from 0 to 1, in whole characters as a reader sees them. */
export function firstPart(word: string, share: number): string {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const characters = Array.from(graphemes.segment(word), ({ segment }) => segment)
  return characters.slice(0, Math.floor(characters.length * share)).join('')
}
