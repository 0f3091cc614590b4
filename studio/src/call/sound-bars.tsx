import type { ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useTick } from '../shared/use-tick.ts'
import './sound-bars.css'

/** The quietest level that is shown, in decibels of full scale. */
const FLOOR = -60
/** How many bars there are: the last two seconds, or ten without movement. */
const BARS = 20
/** Milliseconds between two bars. Slower for people who do not want movement. */
const STEP = matchMedia('(prefers-reduced-motion: reduce)').matches ? 500 : 100

interface SoundBarsProps {
  readonly name: string
  /** For screen readers. */
  readonly label: string
  /** From 0 to 1. */
  readonly level: ReadonlySignal<number>
  readonly tone: 'caller' | 'agent'
  /** Shown instead of the name. */
  readonly note?: string | undefined
}

/** How loud one side of the call was in the last two seconds, from its real sound. */
export function SoundBars({ name, label, level, tone, note }: SoundBarsProps) {
  const bars = useRef<readonly number[]>(Array<number>(BARS).fill(0))
  useTick(STEP)
  const share = shareOf(level.peek())
  bars.current = [...bars.current.slice(1), share]
  return (
    <div class={`sound ${tone} ${note === undefined ? '' : 'noted'}`}>
      <span class="side-name">{note ?? name}</span>
      <span
        class="bars"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        {bars.current.map((height, index) => (
          <span key={index} style={{ '--height': height.toFixed(2) }} />
        ))}
      </span>
    </div>
  )
}

/** A level as a share of the height, by loudness. */
export function shareOf(level: number): number {
  const decibels = 20 * Math.log10(level)
  return decibels <= FLOOR ? 0 : Math.min(1, 1 - decibels / FLOOR)
}
