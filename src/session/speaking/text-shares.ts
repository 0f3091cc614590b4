/** Written without spaces between the words: only a dictionary knows where they are. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** A character of these is a syllable, and takes as long to say as about three letters. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const SYLLABLE = 3

/** Accents, joiners, variants: they change the character before them and take no time. */
const SILENT = /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A word of a text: where it ends, and how much is to be said up to there, in letters. */
export interface Share {
  readonly end: number
  readonly length: number
}

/** Cuts a text where its words end, and counts how much there is to say. */
export function sharesOf(text: string): Share[] {
  const shares: Share[] = []
  let length = 0
  for (const { 0: token, index } of text.matchAll(/\S+/g)) {
    let end = index
    for (const word of UNSPACED.test(token) ? wordsOf(token) : [token]) {
      end += word.length
      length += lengthOf(word)
      shares.push({ end, length })
    }
    // The pause between two words.
    length++
  }
  return shares
}

/** The words of a text without spaces, each with the punctuation that follows it. */
function wordsOf(token: string): string[] {
  const found: string[] = []
  for (const { segment, isWordLike } of words.segment(token)) {
    if (isWordLike || found.length === 0) found.push(segment)
    else found.push(found.pop()! + segment)
  }
  return found
}

function lengthOf(word: string): number {
  let length = 0
  for (const character of word) {
    if (SILENT.test(character)) continue
    length += SYLLABLES.test(character) ? SYLLABLE : 1
  }
  return length
}

/** The first part of a word, a whole number of characters as people see them. */
export function partOf(word: string, part: number): string {
  const characters = Array.from(graphemes.segment(word), ({ segment }) => segment)
  return characters.slice(0, Math.floor(characters.length * part)).join('')
}
