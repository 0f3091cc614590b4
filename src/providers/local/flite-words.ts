import type { WordStart } from './timed-words.ts'

/** A phone that flite has spoken. */
export interface SpokenPhone {
  readonly phone: string
  /** Milliseconds from the start of the speech. */
  readonly start: number
}

const PAUSE = 'pau'

/** A word as it is in the text, and as flite can read it. */
export interface Token {
  /** The index of its first character in the text. */
  readonly position: number
  readonly spelling: string
}

/** The words of a text in letters that flite can read. It reads ASCII, and is silent about everything else. */
export function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
    position: index,
    spelling: spellingOf(word),
  })).filter(({ spelling }) => spelling !== '')
}

const spellings: readonly (readonly [RegExp, string])[] = [
  [/€([\d.,]*\d)/g, '$1 euros'],
  [/£([\d.,]*\d)/g, '$1 pounds'],
  [/€/g, 'euros'],
  [/£/g, 'pounds'],
  [/[‘’]/g, "'"],
  [/[“”„«»]/g, '"'],
  [/[‐-―]/g, '-'],
  [/…/g, '...'],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[øØ]/g, 'o'],
]

function spellingOf(word: string): string {
  const replaced = spellings.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), word)
  return replaced.normalize('NFD').replaceAll(/[^\x20-\x7e]/g, '')
}

/** Reads what flite prints with `-psdur`, the end of each phone in seconds: `pau:0.218 g:0.280 uh:0.324`. */
export function spokenPhonesOf(printed: string): SpokenPhone[] {
  let end = 0
  const all = Array.from(printed.matchAll(/(\S+):([\d.]+)/g), ([, phone, seconds]) => {
    const start = end
    end = Number(seconds) * 1_000
    return { phone: phone!, start }
  })
  return all.filter(({ phone }) => phone !== PAUSE)
}

/** Reads what flite prints with `-ps`, a line per token: `pau g uh d pau`. */
export function phonesOf(printed: string): string[][] {
  const lines = printed.split('\n').slice(0, -1)
  return lines.map((line) => line.split(' ').filter((phone) => phone !== '' && phone !== PAUSE))
}

/**
 * When the words of a text start. flite reports the times of phones, but not which word they belong to. Therefore it says
 * what each word sounds like alone, in `phones`, and that is found again in the speech. A word may sound different in a
 * sentence: 'May 5' is read as 'May fifth'. A word of which nothing is found has no start. If flite did not answer for each
 * word, none has: the session then estimates the times.
 */
export function wordStarts(
  tokens: readonly Token[],
  phones: readonly (readonly string[])[],
  spoken: readonly SpokenPhone[],
): WordStart[] {
  if (phones.length !== tokens.length) return []
  const found = align(
    phones.flat(),
    spoken.map(({ phone }) => phone),
  )
  let next = 0
  return tokens.flatMap(({ position }, index) => {
    const own = found.slice(next, (next += phones[index]!.length))
    const first = own.find((at) => at !== undefined)
    return first === undefined ? [] : [{ position, at: spoken[first]!.start }]
  })
}

/** Where each expected phone is among the spoken ones, with as few differences as possible (the edit distance). */
function align(expected: readonly string[], spoken: readonly string[]): (number | undefined)[] {
  const width = spoken.length + 1
  const table = new Uint32Array((expected.length + 1) * width)
  /** The differences between what is expected from `i` and what is spoken from `j`. */
  const rest = (i: number, j: number): number => table[i * width + j]!
  const paired = (i: number, j: number): number => rest(i + 1, j + 1) + (expected[i] === spoken[j] ? 0 : 1)
  for (let i = expected.length; i >= 0; i--) {
    for (let j = spoken.length; j >= 0; j--) {
      const [left, right] = [expected.length - i, spoken.length - j]
      table[i * width + j] =
        left === 0 || right === 0
          ? left + right
          : Math.min(paired(i, j), rest(i + 1, j) + 1, rest(i, j + 1) + 1)
    }
  }
  let j = 0
  return expected.map((_, i) => {
    const isPaired = (): boolean => j < spoken.length && rest(i, j) === paired(i, j)
    while (!isPaired() && j < spoken.length && rest(i, j) === rest(i, j + 1) + 1) j++
    return isPaired() ? j++ : undefined
  })
}
