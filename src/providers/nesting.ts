/** Levels of objects and lists in a message. No vendor needs more than a dozen. */
const MAX_DEPTH = 500
/** Shorter texts cannot be nested deeply enough to be slow. */
const MIN_LENGTH = 64 * 1024

/** Whether JSON is nested so deeply that parsing it would block the thread (PR2). */
export function isNestedTooDeeply(json: string): boolean {
  if (json.length < MIN_LENGTH) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      at = endOfString(json, at)
      if (at < 0) return false
    }
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** The index of the quote that ends the string; -1 if none does. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
  }
  return -1
}
