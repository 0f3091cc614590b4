/** The share of a text's words that have to be spoken. Numbers and dates may be written otherwise. */
const MIN_SPOKEN = 0.5
/** How many words may be added, besides as many as the text has. */
const MAX_ADDED = 3

/** Whether a transcript is not that of a text, however its numbers, spelling and punctuation differ. */
export function deviates(text: string, transcript: string): boolean {
  const wanted = wordsOf(text)
  const spoken = wordsOf(transcript)
  if (spoken.length > 2 * wanted.length + MAX_ADDED) return true
  return commonInOrder(wanted, spoken) < wanted.length * MIN_SPOKEN
}

/** The length of the longest common subsequence. */
function commonInOrder(first: readonly string[], second: readonly string[]): number {
  let before = Array.from({ length: second.length + 1 }, () => 0)
  for (const word of first) {
    const row = [0]
    for (const [index, other] of second.entries())
      row.push(word === other ? before[index]! + 1 : Math.max(row[index]!, before[index + 1]!))
    before = row
  }
  return before[second.length]!
}

/** Words without case and punctuation. Scripts without spaces are compared by character. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return (
    plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu) ?? []
  )
}
