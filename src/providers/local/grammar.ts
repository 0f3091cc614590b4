import { OptionError } from '../../scope/index.ts'
import { fillSlots, formatPhrase, parsePhrase, wordsOf, type Phrase, type PhraseSlots } from './phrase.ts'

/** More phrases would make recognition slow and unreliable. */
const MAX_PHRASES = 1_000

export interface Grammar {
  /** The grammar in the JSpeech Grammar Format. */
  readonly jsgf: string
  /** Every word, with the first phrase that contains it. */
  readonly words: ReadonlyMap<string, string>
}

/** Builds a grammar. Throws an `OptionError` that names the phrase if one is invalid. */
export function grammarOf(
  phrases: readonly string[],
  slots: Readonly<Record<string, readonly string[]>> = {},
): Grammar {
  if (phrases.length === 0) throw new OptionError('phrases is empty: give at least one phrase')
  if (phrases.length > MAX_PHRASES)
    throw new OptionError(
      `phrases has ${phrases.length} entries, and ${MAX_PHRASES} is the limit: use slots instead`,
    )
  const filled: Record<string, Phrase> = {}
  for (const [name, values] of Object.entries(slots)) filled[name] = choiceOf(name, values, filled)
  const words = new Map<string, string>()
  const trees = [...new Set(phrases)].map((text) => {
    const tree = fillSlots(parsePhrase(text), filled, text)
    for (const word of wordsOf(tree)) if (!words.has(word)) words.set(word, text)
    return tree
  })
  // Without slots, the syntax of phrases is also JSGF's.
  const lines = trees.map((tree) => `(${formatPhrase(tree)})`)
  return { jsgf: `#JSGF V1.0;\ngrammar phrases;\npublic <said> =\n${lines.join('\n|')};\n`, words }
}

/** A choice of the slot's values, which may use the slots before it. */
function choiceOf(name: string, values: readonly string[], before: PhraseSlots): Phrase {
  if (values.length === 0) throw new OptionError(`slot '${name}' has no values`)
  return { type: 'choice', parts: values.map((value) => fillSlots(parsePhrase(value), before, value)) }
}
