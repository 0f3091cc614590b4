import type { Speak, SpokenSentence } from './engine.ts'

/** Sentences that are kept, about 100 KB each. An agent has few that it says again and again: questions, mostly. */
const MOST = 32

/** The same voice, which says what it has said before at once, and alike. Those said longest ago are forgotten. */
export function remembered(speak: Speak): Speak {
  const known = new Map<string, SpokenSentence>()
  return async (sentence, signal) => {
    const spoken = known.get(sentence) ?? (await speak(sentence, signal))
    known.delete(sentence)
    known.set(sentence, spoken)
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return spoken
  }
}
