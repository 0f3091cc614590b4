/** A text cut to at most `max` characters, with an ellipsis, and never in the middle of a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\uD800-\uDBFF]/.test(text[max - 2]!) ? max - 2 : max - 1
  return `${text.slice(0, end)}…`
}
