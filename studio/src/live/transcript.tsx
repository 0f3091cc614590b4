import { computed } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Player } from '../recording/player.ts'
import { clockText, exactDateText } from '../shared/texts.ts'
import type { Entry, SpokenEntry } from './conversation.ts'
import { Pace } from './pace.tsx'
import { SpokenWords } from './spoken-words.tsx'
import { ToolCall } from './tool-call.tsx'
import './transcript.css'

/** A transcript that is scrolled this close to its end keeps scrolling as it grows. */
const NEAR_END = 40
/** With more entries than this, those that cannot be seen are not laid out. */
const LONG = 200

interface TranscriptProps extends EntryContext {
  readonly entries: readonly Entry[]
  readonly interim?: string
  readonly live?: boolean
  readonly empty: string
  /** Names it for screen readers. Default: `Transcript`. */
  readonly label?: string
}

/** What entries need besides themselves. */
interface EntryContext {
  /** When the call began, in milliseconds since 1970. Without it, there are no times. */
  readonly startedAt?: number | undefined
  /** Plays the recording. */
  readonly player?: Player | undefined
  /** Decides about a tool call that waits for approval. */
  readonly decide?: ((call: string, approved: boolean) => Promise<void>) | undefined
}

/** What was said. Words still to be heard are lighter, words that were never heard are struck out. */
export function Transcript(props: TranscriptProps) {
  const { entries, interim = '', live = false, empty, label = 'Transcript' } = props
  const { startedAt, player, decide } = props
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
      class={entries.length > LONG ? 'transcript long' : 'transcript'}
      ref={box}
      onScroll={scrolled}
      tabIndex={0}
      role={live ? 'log' : 'group'}
      aria-label={label}
    >
      {entries.length === 0 && interim === '' && <p class="quiet">{empty}</p>}
      <ol>
        {entries.map((entry) => (
          <EntryRow key={entry.key} entry={entry} startedAt={startedAt} player={player} decide={decide} />
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

interface EntryProps extends EntryContext {
  readonly entry: Entry
}

function EntryRow({ entry, startedAt, player, decide }: EntryProps) {
  const row = useRef<HTMLLIElement>(null)
  // A computed signal, so that a moving position only renders the entries that begin or end.
  const heard = useMemo(() => computed(() => isHeard(entry, player)), [entry, player]).value
  useEffect(() => {
    // Only while it plays: a position that the user chose with the keyboard must not move the page.
    if (heard && player?.playing.peek()) keepInView(row.current)
  }, [heard, player])
  // A call has hundreds of entries, and only the last one changes.
  const content = useMemo(
    () => (
      <>
        <Time at={entry.at} startedAt={startedAt} player={player} />
        <Content entry={entry} player={player} decide={decide} />
      </>
    ),
    [entry, startedAt, player, decide === undefined],
  )
  return (
    <li ref={row} class={`entry ${entry.kind} ${heard ? 'heard-now' : ''}`}>
      {content}
    </li>
  )
}

/** Scrolls the transcript, not the page, so that an entry can be seen. */
function keepInView(entry: HTMLElement | null): void {
  const box = entry?.closest('.transcript')
  if (!entry || !box) return
  const { top, bottom } = entry.getBoundingClientRect()
  const view = box.getBoundingClientRect()
  if (top < view.top || bottom > view.bottom) box.scrollTop += top - view.top - view.height / 3
}

/** When it was, since the start of the call. With a recording, a button that plays it from there. */
function Time({ at, startedAt, player }: Omit<EntryContext, 'decide'> & { readonly at: number }) {
  if (startedAt === undefined) return <span class="time" />
  const text = clockText(at - startedAt)
  const title = exactDateText(at)
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

function Content({ entry, player, decide }: Omit<EntryProps, 'startedAt'>) {
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
  const { agent, heard, unheard, how, at, endedAt, waited } = entry
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
      {waited !== undefined && (
        <span class="waited" title="Response time: from the end of the caller’s words to the first sound">
          <span class="sr">after </span>
          <Pace ms={waited} />
        </span>
      )}
    </>
  )
}

/** Whether the recording plays this entry now. */
function isHeard(entry: Entry, player: Player | undefined): boolean {
  const until = 'endedAt' in entry ? entry.endedAt : undefined
  const now = player?.now
  return now !== undefined && until !== undefined && now >= entry.at && now <= until
}
