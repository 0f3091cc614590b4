import { useState } from 'preact/hooks'
import type { TurnLatency } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'
import { paceOf, paceSigns, percentileOf, slowestOf, stagesOf } from './latency-figures.ts'
import { LatencyTurn } from './latency-turn.tsx'
import { stageTexts } from './stage-texts.ts'
import './latency.css'

/** The bars of a call in which every answer is faster than this do not fill the height, in milliseconds. */
const SMALLEST_SCALE = 400
/** How many turns are shown. */
const SHOWN = 24

/** Where the time of each turn went: a stacked bar per turn, and the stages of the chosen one. */
export function Latency({ turns }: { readonly turns: readonly TurnLatency[] }) {
  /** The number of the chosen turn. Undefined for the latest. */
  const [chosen, choose] = useState<number | undefined>(undefined)
  if (turns.length === 0)
    return (
      <div class="latency">
        <h3>Response time</h3>
        <p class="quiet">No turn has been answered yet</p>
      </div>
    )
  const first = Math.max(0, turns.length - SHOWN)
  const shown = turns.slice(first)
  const number = Math.max(first, Math.min(chosen ?? Infinity, turns.length - 1))
  const tallest = Math.max(SMALLEST_SCALE, ...shown.map(({ ms }) => ms))
  return (
    <div class="latency">
      <h3>Response time</h3>
      <Summary turns={turns} />
      <ol class="bars" aria-label="Response time of each turn, in milliseconds">
        {shown.map((turn, index) => (
          <li key={first + index}>
            <button
              type="button"
              class={`turn ${paceOf(turn.ms)}`}
              aria-pressed={first + index === number}
              aria-label={`Turn ${first + index + 1}: ${turn.ms} ms, ${paceSigns[paceOf(turn.ms)].word}`}
              onClick={() => choose(first + index)}
            >
              <span class="bar" style={{ '--height': String(turn.ms / tallest) }}>
                {stagesOf(turn).map(([stage, ms]) => (
                  <span key={stage} class={`part ${stage}`} style={{ '--grow': String(ms) }} />
                ))}
              </span>
              <span class="ms">
                <span class="sign">{paceSigns[paceOf(turn.ms)].sign}</span> {turn.ms}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <LatencyTurn turn={turns[number]!} number={number + 1} />
    </div>
  )
}

function Summary({ turns }: { readonly turns: readonly TurnLatency[] }) {
  const values = turns.map(({ ms }) => ms)
  const slowest = slowestOf(turns)
  const figures = [
    ['p50', percentileOf(values, 0.5)!],
    ['p95', percentileOf(values, 0.95)!],
  ] as const
  return (
    <dl class="summary">
      {figures.map(([name, ms]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={paceOf(ms)}>
            <span aria-hidden="true">{paceSigns[paceOf(ms)].sign}</span> {timeText(ms)}{' '}
            <span class="sr">{paceSigns[paceOf(ms)].word}</span>
          </dd>
        </div>
      ))}
      {slowest && (
        <div>
          <dt>slowest stage</dt>
          <dd>
            {stageTexts[slowest.stage].name}, {Math.round(slowest.share * 100)} % of the time
          </dd>
        </div>
      )}
    </dl>
  )
}
