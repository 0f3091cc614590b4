/** Words as the recordings have them: without capitals, punctuation and hyphens. */
export function plain(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll('-', ' ')
    .replaceAll(/[^a-z' ]/g, '')
  return words.split(' ').filter(Boolean).join(' ')
}

/** How many words have to be changed, added or removed. */
export function wordErrors(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, word] of one.entries()) {
    const next = [index + 1]
    for (const [column, each] of other.entries())
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (word === each ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
