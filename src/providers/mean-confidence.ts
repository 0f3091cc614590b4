/** The confidence of a text, if those of its words are known. */
export function meanConfidence(words: readonly { readonly confidence?: number | undefined }[]): {
  readonly confidence?: number
} {
  const known = words.flatMap(({ confidence }) => confidence ?? [])
  return known.length === 0 ? {} : { confidence: known.reduce((sum, each) => sum + each, 0) / known.length }
}
