import { useEffect, useRef } from 'preact/hooks'
import type { Player } from '../recording/player.ts'
import { clockText } from '../shared/texts.ts'
import type { Entry, SpokenEntry } from './conversation.ts'
import { SpokenWords } from './spoken-words.tsx'
import { ToolCall } from './tool-call.tsx'
import './transcript.css'

/** A transcript that is scrolled this close to its end keeps scrolling as it grows. */
const NEAR_END = 40

interface TranscriptProps {
  readonly entries: readonly Entry[]
  readonly interim?: string
  readonly live?: boolean
  readonly empty: string
  /** Names it for screen readers. Default: `Transcript`. */
  readonly label?: string
  /** When the call began, in milliseconds since 1970. Without it, there are no times. */
  readonly startedAt?: number | undefined
  /** Plays the recording. */
  readonly player?: Player | undefined
  /** Decides about a tool call that waits for approval. */
  readonly decide?: ((call: string, approved: boolean) => Promise<void>) | undefined
}

/** What was said. Words still to be heard are lighter, words that were never heard are struck out. */
export function Transcript({
  entries,
  interim = '',
  live = false,
  empty,
  label = 'Transcript',
  ...rest
}: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    const { current } = box
    if (current && live && atEnd.current) current.scrollTop = current.scrollHeight
  })
  const scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END
  }
  return (
    <div
      class="transcript"
      ref={box}
      onScroll={scrolled}
      tabIndex={0}
      role={live ? 'log' : 'group'}
      aria-label={label}
    >
      {entries.length === 0 && interim === '' && <p class="quiet">{empty}</p>}
      <ol>
        {entries.map((entry) => (
          <li
            key={entry.key}
            class={`entry ${entry.kind} ${isHeard(entry, rest.player?.now) ? 'heard-now' : ''}`}
          >
            <Line entry={entry} {...rest} />
          </li>
        ))}
      </ol>
      {interim !== '' && (
        <p class="entry user interim" aria-hidden="true">
          <span class="who">Caller</span>
          <span class="words">{interim}</span>
        </p>
      )}
    </div>
  )
}

interface LineProps extends Pick<TranscriptProps, 'startedAt' | 'player' | 'decide'> {
  readonly entry: Entry
}

function Line({ entry, startedAt, player, decide }: LineProps) {
  return (
    <>
      <Time at={entry.at} startedAt={startedAt} player={player} />
      <Content entry={entry} player={player} decide={decide} />
    </>
  )
}

/** When it was, since the start of the call. With a recording, a button that plays it from there. */
function Time({
  at,
  startedAt,
  player,
}: Pick<TranscriptProps, 'startedAt' | 'player'> & { readonly at: number }) {
  if (startedAt === undefined) return <span class="time" />
  const text = clockText(at - startedAt)
  const title = new Date(at).toLocaleTimeString()
  return player ? (
    <button
      type="button"
      class="time"
      title={title}
      aria-label={`Play from ${text}`}
      onClick={() => player.playFrom(at)}
    >
      {text}
    </button>
  ) : (
    <time class="time" dateTime={new Date(at).toISOString()} title={title}>
      {text}
    </time>
  )
}

function Content({ entry, player, decide }: Omit<LineProps, 'startedAt'>) {
  if (entry.kind === 'agent') return <Spoken entry={entry} player={player} />
  if (entry.kind === 'tool')
    return <ToolCall entry={entry} decide={decide && ((approved) => decide(entry.call, approved))} />
  if (entry.kind === 'note') return <span class={`aside ${entry.tone}`}>{entry.text}</span>
  if (entry.kind === 'handoff')
    return (
      <span class="aside">
        Handoff from {entry.from} to <b>{entry.to}</b>
      </span>
    )
  return (
    <>
      <span class="who">Caller</span>
      <span class="words">
        <SpokenWords text={entry.text} from={entry.at} until={entry.endedAt} player={player} />
      </span>
    </>
  )
}

function Spoken({ entry, player }: { readonly entry: SpokenEntry; readonly player: Player | undefined }) {
  const { agent, heard, unheard, how, at, endedAt } = entry
  const cut = how === 'interrupted' || how === 'failed'
  return (
    <>
      <span class="who">{agent ?? 'Agent'}</span>
      <span class="words">
        <SpokenWords text={heard} from={at} until={endedAt} player={player} />
        {how === 'playing' && <span class="pending">{unheard}</span>}
        {cut && unheard !== '' && (
          <>
            <span class="sr"> (not heard: </span>
            <s class="unheard">{unheard}</s>
            <span class="sr">)</span>
          </>
        )}
        {cut && (
          <span class="cut">{how === 'failed' ? 'failed' : heard === '' ? 'not heard' : 'interrupted'}</span>
        )}
      </span>
    </>
  )
}

/** Whether the recording plays this entry now. */
function isHeard(entry: Entry, now: number | undefined): boolean {
  const until = 'endedAt' in entry ? entry.endedAt : undefined
  return now !== undefined && until !== undefined && now >= entry.at && now <= until
}
