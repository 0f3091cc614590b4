import { ProviderError } from './errors.ts'

/** Milliseconds of sound in one answer. Nobody listens longer without a word of their own. */
const MAX_ANSWER = 10 * 60_000
/** Characters of text in one answer: more than ten minutes of speech. */
const MAX_ANSWER_TEXT = 100_000
/** A speech may be this long, in milliseconds, plus this much per character: ten times slower than anyone speaks. */
const MAX_SPEECH = 30_000
const MAX_PER_CHARACTER = 1_000

/** Whether a text contains anything that can be heard. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** What is wrong with an answer that is this long so far; undefined if nothing is (PR3). */
export function answerProblem(name: string, sound: number, characters: number): ProviderError | undefined {
  if (sound <= MAX_ANSWER && characters <= MAX_ANSWER_TEXT) return undefined
  return new ProviderError(name, 'its answer does not end')
}

/** What is wrong with a speech that is this long so far; undefined if nothing is (PR3). */
export function speechProblem(name: string, sound: number, text: string): ProviderError | undefined {
  if (sound <= MAX_SPEECH + MAX_PER_CHARACTER * text.length) return undefined
  return new ProviderError(name, 'its speech is far too long for its text')
}

/** What is wrong with a speech that has ended; undefined if nothing is (PR3). */
export function silentSpeechProblem(name: string, sound: number, text: string): ProviderError | undefined {
  if (sound > 0 || !hasWords(text)) return undefined
  return new ProviderError(name, 'its speech has no sound', { retryable: true })
}
