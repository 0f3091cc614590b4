import type { Ending } from './verdict.ts'
import './verdict-lines.css'

interface VerdictLinesProps {
  /** A word in a frame. */
  readonly stamp: string
  readonly look: 'clean' | 'closing' | 'unclean'
  readonly sentence: string
  readonly reason: string
  readonly reasonTone?: Ending['tone']
  /** The faults that were on during the call. */
  readonly faults?: readonly string[] | undefined
}

/** What is most important about a close: in a word, in a sentence, and why the call ended. */
export function VerdictLines(props: VerdictLinesProps) {
  const { stamp, look, sentence, reason, reasonTone = 'plain', faults = [] } = props
  return (
    <div class={`verdict ${look}`}>
      <span class="stamp">{stamp}</span>
      <div class="lines">
        <p class="sentence">{sentence}</p>
        <p class={`reason ${reasonTone}`}>{reason}</p>
        {faults.length > 0 && (
          <p class="injected">
            {faults.length === 1 ? 'Fault that was on' : 'Faults that were on'}: {faults.join(', ')}
          </p>
        )}
      </div>
    </div>
  )
}
