import type { TurnLatency } from '../../../src/session/index.ts'
import { timeText } from '../shared/texts.ts'
import { paceOf, stagesOf } from './latency-figures.ts'
import { stageTexts } from './stage-texts.ts'
import './latency-turn.css'

/** The stages of one turn, each as a bar where its time was. */
export function LatencyTurn({ turn, number }: { readonly turn: TurnLatency; readonly number: number }) {
  const stages = stagesOf(turn)
  const longest = Math.max(0, ...stages.map(({ ms }) => ms))
  const share = (ms: number): string => `${(ms / Math.max(1, turn.ms)) * 100}%`
  return (
    <div class="latency-turn">
      <h3>
        Turn {number}: {timeText(turn.ms)}, {paceOf(turn.ms)}
      </h3>
      <ul>
        {stages.map(({ stage, from, ms }) => (
          <li key={stage} class={ms === longest && ms > 0 ? 'longest' : ''} title={stageTexts[stage].about}>
            <span class="stage-name">
              {stageTexts[stage].name}
              <span class="sr">, {stageTexts[stage].about}: </span>
            </span>
            <span class="track" aria-hidden="true">
              <span
                class="span"
                style={{ left: share(from), width: share(ms), background: stageTexts[stage].colour }}
              />
            </span>
            <b>{timeText(ms)}</b>
            {ms === longest && ms > 0 && <span class="sr">, the longest stage</span>}
          </li>
        ))}
      </ul>
      {turn.heard === 'estimated' && <p class="quiet">Estimated: the line did not confirm what was heard.</p>}
      {turn.by === 'say' && (
        <p class="quiet">The first words did not come from the model: a filler, or a fixed sentence.</p>
      )}
    </div>
  )
}
