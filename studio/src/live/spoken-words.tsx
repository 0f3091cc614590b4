import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Player } from '../recording/player.ts'

interface SpokenWordsProps {
  readonly text: string
  /** When the first word was said and the last one had been, in milliseconds since 1970. */
  readonly from: number
  readonly until: number | undefined
  readonly player: Player | undefined
}

/** A text whose words can be clicked to hear them, and are marked while they are heard. */
export function SpokenWords({ player, ...rest }: SpokenWordsProps) {
  const { text, from, until = from } = rest
  return player && until > from ? (
    <ClickableWords text={text} from={from} until={until} player={player} />
  ) : (
    <>{text}</>
  )
}

interface ClickableWordsProps {
  readonly text: string
  readonly from: number
  readonly until: number
  readonly player: Player
}

function ClickableWords({ text, from, until, player }: ClickableWordsProps) {
  const words = useMemo(() => timedWords(text, from, until), [text, from, until])
  // A computed signal, so that a moving position only renders the text whose word has changed.
  const heard = useMemo(() => computed(() => wordAt(words, player.now)), [words, player]).value
  const click = (event: MouseEvent): void => {
    const index = (event.target as HTMLElement).dataset['word']
    if (index !== undefined) player.playFrom(words[Number(index)]!.begin)
  }
  return (
    <span class="clickable" onClick={click}>
      {words.map(({ word }, index) => (
        <span key={index} data-word={index} class={index === heard ? 'word now' : 'word'}>
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

/** The index of the word that is heard at a time. -1 if none is. */
function wordAt(words: readonly TimedWord[], now: number | undefined): number {
  if (now === undefined || now < (words[0]?.begin ?? Infinity) || now >= (words.at(-1)?.end ?? 0)) return -1
  return words.findIndex(({ begin, end }) => now >= begin && now < end)
}
