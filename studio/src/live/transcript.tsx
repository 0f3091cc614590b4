import { useEffect, useRef } from 'preact/hooks'
import type { Entry, SpokenEntry, ToolEntry } from './conversation.ts'
import './transcript.css'

/** A transcript that is scrolled this close to its end keeps scrolling as it grows. */
const NEAR_END = 40

interface TranscriptProps {
  readonly entries: readonly Entry[]
  readonly interim?: string
  readonly live?: boolean
  readonly empty: string
}

/** What was said. Words still to be heard are lighter, words that were never heard are struck out. */
export function Transcript({ entries, interim = '', live = false, empty }: TranscriptProps) {
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
      aria-label="Transcript"
    >
      {entries.length === 0 && interim === '' && <p class="quiet">{empty}</p>}
      <ol>
        {entries.map((entry) => (
          <li key={entry.key} class={`entry ${entry.kind}`}>
            <Line entry={entry} />
          </li>
        ))}
      </ol>
      {interim !== '' && (
        <p class="entry user interim" aria-hidden="true">
          <Said who="Caller" text={interim} />
        </p>
      )}
    </div>
  )
}

function Line({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'agent') return <Spoken entry={entry} />
  if (entry.kind === 'tool') return <ToolCall entry={entry} />
  if (entry.kind === 'note') return <span class={`aside ${entry.tone}`}>{entry.text}</span>
  if (entry.kind === 'user') return <Said who="Caller" text={entry.text} />
  return (
    <span class="aside">
      Handoff from {entry.from} to <b>{entry.to}</b>
    </span>
  )
}

function Said({ who, text }: { readonly who: string; readonly text: string }) {
  return (
    <>
      <span class="who">{who}</span>
      <span class="words">{text}</span>
    </>
  )
}

function Spoken({ entry: { agent, heard, unheard, how } }: { readonly entry: SpokenEntry }) {
  const cut = how === 'interrupted' || how === 'failed'
  return (
    <>
      <span class="who">{agent ?? 'Agent'}</span>
      <span class="words">
        {heard}
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

function ToolCall({ entry: { name, input, how, detail } }: { readonly entry: ToolEntry }) {
  return (
    <span class={`aside tool-call ${how}`}>
      <code>
        {name}
        {input === '' || input === '{}' ? '' : ` ${input}`}
      </code>
      <span class="how">{how}</span>
      {detail !== '' && <span class="detail">{detail}</span>}
    </span>
  )
}
