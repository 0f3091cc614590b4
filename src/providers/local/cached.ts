import type { Speak, SpokenSentence } from './engine.ts'

/** Sentences in the cache, about 100 KB each. An agent repeats only a few, mostly questions. */
const MAX_SENTENCES = 32

/** Caches the most recently spoken sentences, so that a repeated one is available at once. */
export function cached(speak: Speak): Speak {
  const cache = new Map<string, SpokenSentence>()
  return async (sentence, signal) => {
    const spoken = cache.get(sentence) ?? (await speak(sentence, signal))
    cache.delete(sentence)
    cache.set(sentence, spoken)
    if (cache.size > MAX_SENTENCES) cache.delete(cache.keys().next().value!)
    return spoken
  }
}
