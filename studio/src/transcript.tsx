import { useEffect, useRef } from 'preact/hooks'
import type { Entry, SpokenEntry, ToolEntry } from './conversation.ts'

interface TranscriptProps {
  readonly entries: readonly Entry[]
  readonly hearing?: string
  readonly live?: boolean
  readonly empty: string
}

/** What was said: heard words as they are, words on their way lighter, words that nobody heard struck out. */
export function Transcript({ entries, hearing = '', live = false, empty }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null)
  const stick = useRef(true)
  useEffect(() => {
    const { current } = box
    // Whoever has scrolled up to read is left alone.
    if (current && live && stick.current) current.scrollTop = current.scrollHeight
  })
  const scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    stick.current = scrollHeight - scrollTop - clientHeight < 40
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
      {entries.length === 0 && hearing === '' && <p class="empty">{empty}</p>}
      <ol>
        {entries.map((entry) => (
          <li key={entry.key} class={`entry ${entry.kind}`}>
            <Line entry={entry} />
          </li>
        ))}
      </ol>
      {hearing !== '' && (
        <p class="entry user guess" aria-hidden="true">
          <span class="who">You</span>
          <span class="words">{hearing}</span>
        </p>
      )}
    </div>
  )
}

function Line({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'agent') return <Spoken entry={entry} />
  if (entry.kind === 'tool') return <ToolCall entry={entry} />
  if (entry.kind === 'note') return <span class={`aside ${entry.tone}`}>{entry.text}</span>
  if (entry.kind === 'handoff')
    return (
      <span class="aside">
        {entry.from} hands over to <b>{entry.to}</b>
      </span>
    )
  return (
    <>
      <span class="who">You</span>
      <span class="words">{entry.text}</span>
    </>
  )
}

function Spoken({ entry: { agent, heard, rest, how } }: { readonly entry: SpokenEntry }) {
  const cut = how === 'interrupted' || how === 'failed'
  return (
    <>
      <span class="who">{agent ?? 'Agent'}</span>
      <span class="words">
        {heard}
        {how === 'sounding' && <span class="coming">{rest}</span>}
        {cut && rest !== '' && (
          <>
            <span class="sr"> (not heard: </span>
            <s class="unheard">{rest}</s>
            <span class="sr">)</span>
          </>
        )}
        {cut && (
          <span class="cut">{how === 'failed' ? 'failed' : heard === '' ? 'not heard' : 'cut off'}</span>
        )}
      </span>
    </>
  )
}

const toolWords = { running: 'working', done: 'done', failed: 'failed' } as const

function ToolCall({ entry: { name, input, how, says } }: { readonly entry: ToolEntry }) {
  return (
    <span class={`aside tool-call ${how}`}>
      <code>
        {name}
        {input === '' || input === '{}' ? '' : ` ${input}`}
      </code>
      <span class="how">{toolWords[how]}</span>
      {says !== '' && <span class="says">{says}</span>}
    </span>
  )
}
