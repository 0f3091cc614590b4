import type { Player } from '../recording/player.ts'

interface SpokenWordsProps {
  readonly text: string
  /** When the first word was said and the last one had been, in milliseconds since 1970. */
  readonly from: number
  readonly until: number | undefined
  readonly player: Player | undefined
}

/** A text whose words can be clicked to hear them, and are marked while they are heard. */
export function SpokenWords({ text, from, until = from, player }: SpokenWordsProps) {
  if (!player || until <= from) return <>{text}</>
  const { now } = player
  const heard = now !== undefined && now >= from && now <= until ? now : undefined
  return (
    <span class="clickable">
      {timedWords(text, from, until).map(({ word, begin, end }, index) => (
        <span
          key={index}
          class={heard !== undefined && heard >= begin && heard < end ? 'word now' : 'word'}
          onClick={() => player.playFrom(begin)}
        >
          {word}
        </span>
      ))}
    </span>
  )
}

interface TimedWord {
  /** With the spaces after it. */
  readonly word: string
  readonly begin: number
  readonly end: number
}

/** When each word was said, roughly: as if all characters took equally long. */
export function timedWords(text: string, from: number, until: number): readonly TimedWord[] {
  const perCharacter = (until - from) / Math.max(1, text.length)
  let at = 0
  return (text.match(/\s*\S+\s*/g) ?? []).map((word) => {
    const begin = from + at * perCharacter
    at += word.length
    return { word, begin, end: from + at * perCharacter }
  })
}
