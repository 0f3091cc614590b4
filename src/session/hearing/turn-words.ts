/** Scripts that are written without spaces between words. */
const unspacedScripts =
  String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}` +
  String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`

const unspacedLetter = new RegExp(String.raw`(?=\p{L})[${unspacedScripts}]`, 'gu')
const endsUnspaced = new RegExp(`[${unspacedScripts}ー、。，！？：；「」『』（）]$`, 'u')
const startsUnspaced = new RegExp(`^[${unspacedScripts}ー、。，！？：；「」『』（）]`, 'u')

/** Punctuation that belongs to the word before it. Not that of `.5` or `…well`, which begin a word. */
const startsClosing = /^(?:[,.;:!?…]+(?=\s|$)|[)\]}»”、。，！？：；」』）])/u

/**
 * Puts pieces of what one person says together, as the next reader expects them: each piece is trimmed, empty ones
 * vanish, the others are joined by one space. No space stands before closing punctuation, and none between two
 * characters of a script that has none between words. Inside a piece nothing changes.
 */
export function joinWords(...pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => {
    const next = piece.trim()
    if (text === '' || next === '') return text + next
    const tight = startsClosing.test(next) || (endsUnspaced.test(text) && startsUnspaced.test(next))
    return tight ? text + next : `${text} ${next}`
  }, '')
}

/** Stretches without a space that hold a letter or a number. In scripts without spaces every letter counts. */
export function countWords(text: string): number {
  let unspaced = 0
  const rest = text.replaceAll(unspacedLetter, () => {
    unspaced += 1
    return ' '
  })
  return unspaced + rest.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Whether anything was said: an STT writes a lone full stop for a cough. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
