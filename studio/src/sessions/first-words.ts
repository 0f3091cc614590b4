import type { SessionSummary } from '../../../src/host/wire/index.ts'

/** How a call begins, which serves as its title. Until the caller has said something, the words are the agent's. */
export function firstWordsOf({ words, turns, state }: SessionSummary): string {
  if (words === undefined) return state === 'closed' ? 'Nothing was said' : 'Nothing said yet'
  return turns === 0 ? `Agent: ${words}` : words
}
