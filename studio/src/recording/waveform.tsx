import { useMemo } from 'preact/hooks'
import { clockText } from '../shared/texts.ts'
import type { Player } from './player.ts'
import './waveform.css'

/** The loudness of both sides over time, from 0 to 100. */
export interface Peaks {
  /** Milliseconds. */
  readonly duration: number
  readonly caller: readonly number[]
  readonly agent: readonly number[]
}

/** Half of the height of one side. */
const HALF = 24
/** How far an arrow key moves the position, in milliseconds. */
const STRIDE = 5_000
/** The least height of a peak, so that silence is a line. */
const LEAST = 0.5

const directions: Readonly<Record<string, 1 | -1>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
}

const silence: Peaks = { duration: 0, caller: [], agent: [] }

interface WaveformProps {
  readonly player: Player
  /** Undefined until the host has sent them. */
  readonly peaks: Peaks | undefined
}

/** Both sides of a call, with a slider over them to choose the position. */
export function Waveform({ player, peaks = silence }: WaveformProps) {
  const { duration, caller, agent } = peaks
  const position = Math.min(duration, player.position.value)
  return (
    <div class="waveform">
      <span class="side-name">Caller</span>
      <span class="side-name">Agent</span>
      <div class="waves" style={{ '--position': `${duration === 0 ? 0 : (position / duration) * 100}%` }}>
        <Side name="caller" peaks={caller} />
        <Side name="agent" peaks={agent} />
        <input
          type="range"
          aria-label="Position in the recording"
          aria-valuetext={`${clockText(position)} of ${clockText(duration)}`}
          min={0}
          max={Math.round(duration)}
          step={100}
          value={position}
          onInput={(event) => player.seek(Number(event.currentTarget.value))}
          onKeyDown={(event) => {
            const direction = directions[event.key]
            if (direction === undefined) return
            event.preventDefault()
            player.seek(Math.min(duration, position + direction * STRIDE))
          }}
        />
      </div>
    </div>
  )
}

function Side({ name, peaks }: { readonly name: 'caller' | 'agent'; readonly peaks: readonly number[] }) {
  const path = useMemo(() => pathOf(peaks), [peaks])
  return (
    <svg
      class={`wave ${name}`}
      viewBox={`0 0 ${Math.max(1, peaks.length)} ${2 * HALF}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}

/** The outline of the peaks, above and below a line in the middle. Quiet sound is raised, so that it can be seen. */
export function pathOf(peaks: readonly number[]): string {
  const heights = peaks.map((peak) => Math.max(LEAST, Math.sqrt(Math.min(100, peak) / 100) * (HALF - 1)))
  const above = heights.map((height, x) => `${x},${round(HALF - height)} ${x + 1},${round(HALF - height)}`)
  const below = heights.map((height, x) => `${x + 1},${round(HALF + height)} ${x},${round(HALF + height)}`)
  return peaks.length === 0 ? '' : `M${above.join(' ')} ${below.toReversed().join(' ')}Z`
}

const round = (value: number): number => Math.round(value * 10) / 10
