/** Scripts written without spaces between words. */
const unspacedScripts =
  String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}` +
  String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`

const unspacedLetter = new RegExp(String.raw`(?=\p{L})[${unspacedScripts}]`, 'gu')
const endsUnspaced = new RegExp(`[${unspacedScripts}ー、。，！？：；「」『』（）]$`, 'u')
const startsUnspaced = new RegExp(`^[${unspacedScripts}ー、。，！？：；「」『』（）]`, 'u')

/** Punctuation that belongs to the word before it. In `.5` and `…well` it begins a word. */
const startsClosing = /^(?:[,.;:!?…]+(?=\s|$)|[)\]}»”、。，！？：；」』）])/u

/**
 * Joins pieces of a transcript with single spaces. Pieces are trimmed and empty pieces dropped. There is no space before
 * closing punctuation, and none between two characters of a script without spaces. The inside of a piece is not changed.
 */
export function joinWords(...pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => {
    const next = piece.trim()
    if (text === '' || next === '') return text + next
    const tight = startsClosing.test(next) || (endsUnspaced.test(text) && startsUnspaced.test(next))
    return tight ? text + next : `${text} ${next}`
  }, '')
}

/** Counts runs without spaces that contain a letter or a digit. In scripts without spaces, every letter counts. */
export function countWords(text: string): number {
  let unspaced = 0
  const rest = text.replaceAll(unspacedLetter, () => {
    unspaced += 1
    return ' '
  })
  return unspaced + rest.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Whether a transcript contains any words: an STT writes a lone full stop for a cough. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
