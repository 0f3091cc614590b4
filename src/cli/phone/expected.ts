import { OptionError } from '../../scope/index.ts'

/** What the agent is expected to say. */
export interface Expected {
  /** As the user wrote it. */
  readonly text: string
  readonly matches: (said: string) => boolean
}

/**
 * Reads an expectation: a text, or a regular expression between slashes, such as `/nine|9/i`. A text is found whatever its case,
 * punctuation and spaces.
 */
export function expectedOf(text: string): Expected {
  const [, pattern, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  if (pattern === undefined) {
    const words = wordsOf(text)
    if (words === '') throw new OptionError(`--expect needs words, or a regular expression like /nine|9/i`)
    return { text, matches: (said) => ` ${wordsOf(said)} `.includes(` ${words} `) }
  }
  try {
    // A flag for repeated searches would make the second one start where the first one ended.
    const expression = new RegExp(pattern, flags!.replaceAll(/[gy]/g, ''))
    return { text, matches: (said) => expression.test(said) }
  } catch (error) {
    throw new OptionError(`--expect ${text} is not a regular expression: ${(error as Error).message}`)
  }
}

/** The words of a text, separated by one space: `9:30` is `9 30`. */
function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
