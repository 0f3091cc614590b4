/** Times are in milliseconds. */
export interface SpokenWordTimes {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The words of a text that is spoken at an even pace, from `start`. */
export function spokenWords(text: string, msPerCharacter: number, start = 0): SpokenWordTimes[] {
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word,
    start: start + index * msPerCharacter,
    end: start + (index + word.length) * msPerCharacter,
  }))
}
