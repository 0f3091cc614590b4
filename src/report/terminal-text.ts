/** Longer text is cut before it is processed. No terminal shows a line this long. */
const LONGEST = 1_000

/**
 * Makes untrusted text safe to print. Characters that could move the cursor, change colours, ring the bell or reverse the
 * reading direction are escaped: `\x1b` for an escape character.
 */
export function plain(text: string): string {
  return text
    .slice(0, LONGEST)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, shown)
    .replaceAll(/(\p{M}{3})\p{M}+/gu, '$1')
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function shown(character: string): string {
  // The two joiners are invisible, and emoji and some scripts need them.
  if (character === '\u200c' || character === '\u200d') return character
  const code = character.codePointAt(0)!
  const hex = code.toString(16)
  return named[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`)
}

/** Characters two columns wide: emoji and East Asian scripts. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const narrow = /^[ -~]*$/

let segmenter: Intl.Segmenter | undefined

/** Splits text into what a reader sees as characters. */
function characters(text: string): string[] {
  if (narrow.test(text)) return text.split('')
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Columns that a text takes. An estimate, because terminals differ on emoji. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length
  return characters(text).reduce((sum, character) => sum + columns(character), 0)
}

function columns(character: string): number {
  return wide.test(character) ? 2 : 1
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text
}

/** Shortens a text that does not fit, and ends it with an ellipsis. */
export function clip(text: string, width: number, ellipsis: string): string {
  if (textWidth(text) <= width) return text
  return beginning(text, width - textWidth(ellipsis)).trimEnd() + ellipsis
}

/** Breaks a text into at most `most` lines, at spaces where possible, and clips the rest. */
export function wrap(text: string, width: number, most: number, ellipsis: string): string[] {
  const lines: string[] = []
  let rest = text
  while (lines.length < most - 1 && textWidth(rest) > width) {
    const head = beginning(rest, width)
    const space = rest[head.length] === ' ' ? head.length : head.lastIndexOf(' ')
    const end = space > head.length / 2 ? space : head.length
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...lines, clip(rest, width, ellipsis)]
}

function beginning(text: string, width: number): string {
  let left = width
  let head = ''
  for (const character of characters(text)) {
    left -= columns(character)
    if (left < 0) break
    head += character
  }
  return head
}

/** A duration for people: `0.25 ms`, `12 ms`, `4.75 s`, `3 min 12 s`. */
export function timeText(ms: number): string {
  if (ms < 0) return `-${timeText(-ms)}`
  if (ms < 9.95) return `${Number(ms.toFixed(ms < 0.995 ? 2 : 1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_995) return `${Number((ms / 1_000).toFixed(2))} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 1, 's')
  if (seconds < 86_400) return twoUnits(seconds, 3_600, 'h', 60, 'min')
  return twoUnits(seconds, 86_400, 'd', 3_600, 'h')
}

function twoUnits(seconds: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)} ${bigUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`
}
