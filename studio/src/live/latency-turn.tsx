import type { TurnLatency } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'
import { paceOf, paceSigns, stagesOf } from './latency-figures.ts'
import { stageTexts } from './stage-texts.ts'
import './latency-turn.css'

/** The stages of one turn, with their times. */
export function LatencyTurn({ turn, number }: { readonly turn: TurnLatency; readonly number: number }) {
  const stages = stagesOf(turn)
  const longest = Math.max(0, ...stages.map(([, ms]) => ms))
  return (
    <div class="latency-turn">
      <h4>
        Turn {number}: {timeText(turn.ms)}, {paceSigns[paceOf(turn.ms)].word}
        {turn.heard === 'estimated' && <span class="quiet"> · estimated, not confirmed by the line</span>}
        {turn.by === 'say' && <span class="quiet"> · other words came before the reply</span>}
      </h4>
      <ul>
        {stages.map(([stage, ms]) => (
          <li key={stage} class={ms === longest && ms > 0 ? 'longest' : ''} title={stageTexts[stage].about}>
            <span class={`swatch ${stage}`} aria-hidden="true" />
            {stageTexts[stage].name} <b>{ms} ms</b>
            {ms === longest && ms > 0 && <span class="quiet"> longest</span>}
            <span class="sr">, {stageTexts[stage].about}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
