import { useEffect, useRef, useState } from 'preact/hooks'
import { percentileOf, slowestStageOf } from '../../../src/host/wire/index.ts'
import type { TurnLatency } from '../../../src/session/index.ts'
import { Panel } from '../shared/panel.tsx'
import { timeText } from '../shared/texts.ts'
import { paceOf, stagesOf, thresholds } from './latency-figures.ts'
import { LatencyTurn } from './latency-turn.tsx'
import { Pace } from './pace.tsx'
import { stageTexts } from './stage-texts.ts'
import './latency.css'

/** The bars of a call in which every answer is faster than this do not fill the height, in milliseconds. */
const SMALLEST_SCALE = 500

interface LatencyProps {
  readonly turns: readonly TurnLatency[]
  readonly live: boolean
}

/** Where the time of each turn went: a stacked bar per turn, and the stages of the chosen one. */
export function Latency({ turns, live }: LatencyProps) {
  /** The index of the chosen turn. Undefined for the latest. */
  const [chosen, choose] = useState<number | undefined>(undefined)
  const number = Math.min(chosen ?? Infinity, turns.length - 1)
  const turn = turns[number]
  return (
    <Panel name="latency" title="Response time" aside={<Percentiles turns={turns} />}>
      {turn ? (
        <>
          <MostOfTheTime turns={turns} />
          <Chart turns={turns} chosen={number} choose={choose} />
          <LatencyTurn turn={turn} number={number + 1} />
        </>
      ) : (
        <p class="empty">
          {live
            ? 'How long the caller waits for each answer, and for what, appears here.'
            : 'No turn was answered.'}
        </p>
      )}
    </Panel>
  )
}

function Percentiles({ turns }: { readonly turns: readonly TurnLatency[] }) {
  const values = turns.map(({ ms }) => ms)
  const figures = [
    ['p50', percentileOf(values, 0.5)],
    ['p95', percentileOf(values, 0.95)],
  ] as const
  return (
    <dl class="percentiles">
      {figures.map(
        ([name, ms]) =>
          ms !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Pace ms={ms} />
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

function MostOfTheTime({ turns }: { readonly turns: readonly TurnLatency[] }) {
  const slowest = slowestStageOf(turns)
  if (!slowest) return null
  return (
    <p class="most">
      Slowest stage: <b>{stageTexts[slowest.stage].name}</b>, {Math.round(slowest.share * 100)} % of the time
    </p>
  )
}

interface ChartProps {
  readonly turns: readonly TurnLatency[]
  readonly chosen: number
  readonly choose: (index: number | undefined) => void
}

/** The bars, with an invisible slider over them that chooses one: by mouse, by touch, and with the arrow keys. */
function Chart({ turns, chosen, choose }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const scale = Math.max(SMALLEST_SCALE, ...turns.map(({ ms }) => ms))
  useEffect(() => {
    const { current } = box
    if (!current) return
    const at = ((chosen + 0.5) / turns.length) * current.scrollWidth
    if (at < current.scrollLeft || at > current.scrollLeft + current.clientWidth)
      current.scrollLeft = at - current.clientWidth / 2
  }, [chosen, turns.length])
  const turn = turns[chosen]!
  return (
    <div class="latency-chart">
      {Object.values(thresholds).map(
        (ms) =>
          ms < scale && (
            <span key={ms} class="threshold" style={{ '--share': String(ms / scale) }}>
              <span>{timeText(ms)}</span>
            </span>
          ),
      )}
      <div class="scroller" ref={box}>
        <div class="bars" style={{ '--turns': String(turns.length) }}>
          {turns.map((each, index) => (
            <Bar key={index} turn={each} scale={scale} chosen={index === chosen} />
          ))}
          <input
            type="range"
            aria-label="Turn"
            aria-valuetext={`Turn ${chosen + 1} of ${turns.length}: ${timeText(turn.ms)}, ${paceOf(turn.ms)}`}
            min={1}
            max={turns.length}
            value={chosen + 1}
            // The latest turn stays chosen while more turns come.
            onInput={(event) => {
              const index = Number(event.currentTarget.value) - 1
              choose(index === turns.length - 1 ? undefined : index)
            }}
          />
        </div>
      </div>
    </div>
  )
}

interface BarProps {
  readonly turn: TurnLatency
  readonly scale: number
  readonly chosen: boolean
}

function Bar({ turn, scale, chosen }: BarProps) {
  return (
    <span class={chosen ? 'turn chosen' : 'turn'}>
      <span
        class="stack"
        style={{ height: `${Math.max(2, (turn.ms / scale) * 100)}%`, background: gradientOf(turn) }}
      />
    </span>
  )
}

/** The stages from bottom to top, as one background: hundreds of turns would be thousands of elements. */
function gradientOf(turn: TurnLatency): string {
  const percent = (ms: number): string => `${((ms / Math.max(1, turn.ms)) * 100).toFixed(1)}%`
  const parts = stagesOf(turn).map(
    ({ stage, from, ms }) => `${stageTexts[stage].colour} ${percent(from)} ${percent(from + ms)}`,
  )
  return parts.length === 0 ? 'var(--stage-held)' : `linear-gradient(to top, ${parts.join(', ')})`
}
