import { useLayoutEffect, useEffect, useRef, type ReactElement, type ReactNode } from 'react'
import type { TranscriptEntry } from '../lines/websocket/client/index.ts'
import type { CallHandle } from './use-call.ts'

/** A transcript that is scrolled this close to its end keeps scrolling as it grows, in pixels. */
const NEAR_END = 40

export interface CallTranscriptProps {
  /** The result of `useCall`. */
  readonly call: Pick<CallHandle, 'transcript'>
  /** How to name who speaks. Default: `You` and `Agent`. */
  readonly names?: Readonly<Record<TranscriptEntry['by'], string>>
  /** Names the transcript for screen readers. Default: `Transcript`. */
  readonly label?: string
  /** Shown while nothing was said. */
  readonly empty?: ReactNode
  /**
   * Whether screen readers announce new words. Default: `off`, because the caller hears them already, and a screen reader
   * that talks over the agent would be heard through the microphone.
   */
  readonly announce?: 'off' | 'polite'
  readonly className?: string
}

const english = { caller: 'You', agent: 'Agent' } as const

// On a server there is no layout, and React 18 warns about this hook there.
const useLayout = typeof document === 'undefined' ? useEffect : useLayoutEffect

/** What was said so far, the newest words in view. The agent's words appear as they are heard. */
export function CallTranscript(props: CallTranscriptProps): ReactElement {
  const { call, names = english, label = 'Transcript', empty, announce = 'off', className = '' } = props
  const { entries, interim } = call.transcript
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayout(() => {
    const { current } = box
    if (current && atEnd.current) current.scrollTop = current.scrollHeight
  }, [entries, interim])
  const scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END
  }
  return (
    <div
      className={`endwell-transcript ${className}`.trim()}
      ref={box}
      onScroll={scrolled}
      role="log"
      aria-live={announce}
      aria-label={label}
      // Without this, the keyboard could not scroll it.
      tabIndex={0}
    >
      {entries.length === 0 && interim === '' ? empty : undefined}
      <ol>
        {entries.map(({ id, by, text, interrupted }) => (
          <li key={id} className={`endwell-entry endwell-${by}`} data-interrupted={interrupted}>
            <span className="endwell-who">{names[by]}</span>
            <span className="endwell-words">{interrupted ? `${text} —` : text}</span>
          </li>
        ))}
        {interim !== '' && (
          <li className="endwell-entry endwell-caller endwell-interim">
            <span className="endwell-who">{names.caller}</span>
            <span className="endwell-words">{interim}</span>
          </li>
        )}
      </ol>
    </div>
  )
}
