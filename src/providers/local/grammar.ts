import { OptionError } from '../../scope/index.ts'
import { fillSlots, formatPhrase, parsePhrase, wordsOf, type Phrase, type PhraseSlots } from './phrase.ts'

/** Phrases that a caller may say. More make a grammar that is neither quick nor sure. */
const MOST = 1_000

/** What a recogniser listens for. */
export interface Grammar {
  /** As the recogniser reads it: JSGF. */
  readonly jsgf: string
  /** Every word of it, with the phrase it was first seen in. */
  readonly words: ReadonlyMap<string, string>
}

/** Builds the grammar of some phrases, or says which of them is wrong. */
export function grammarOf(
  phrases: readonly string[],
  slots: Readonly<Record<string, readonly string[]>> = {},
): Grammar {
  if (phrases.length === 0) throw new OptionError('give at least one phrase that can be said')
  if (phrases.length > MOST)
    throw new OptionError(`there are ${phrases.length} phrases; ${MOST} are the most: use slots`)
  const filled: Record<string, Phrase> = {}
  for (const [name, values] of Object.entries(slots)) filled[name] = choiceOf(name, values, filled)
  const words = new Map<string, string>()
  const trees = [...new Set(phrases)].map((text) => {
    const tree = fillSlots(parsePhrase(text), filled, text)
    for (const word of wordsOf(tree)) if (!words.has(word)) words.set(word, text)
    return tree
  })
  // Without slots, phrases are written as JSGF has them.
  const lines = trees.map((tree) => `(${formatPhrase(tree)})`)
  return { jsgf: `#JSGF V1.0;\ngrammar phrases;\npublic <said> =\n${lines.join('\n|')};\n`, words }
}

/** The values of a slot, one of which is said. They may use the slots before it. */
function choiceOf(name: string, values: readonly string[], before: PhraseSlots): Phrase {
  if (values.length === 0) throw new OptionError(`slot '${name}' has no values`)
  return { type: 'any', parts: values.map((value) => fillSlots(parsePhrase(value), before, value)) }
}
