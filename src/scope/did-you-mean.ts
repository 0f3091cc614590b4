/** Suggests the known word that is nearest to a misspelt one: ` Did you mean 'port'?`, or nothing. */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const [nearest] = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.floor(each.length / 3)))
    .toSorted((one, other) => one.distance - other.distance)
  return nearest ? ` Did you mean '${prefix}${nearest.each}'?` : ''
}

/** How many characters have to be added, removed, replaced or swapped with their neighbour. */
function distanceOf(one: string, other: string): number {
  // Longer words are no misspellings, and would take long.
  if (Math.abs(one.length - other.length) > 3) return Infinity
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (same ? 0 : 1),
        swapped ? before[j - 2]! + 1 : Infinity,
      )
    }
    before = last
    last = row
  }
  return last[other.length]!
}
