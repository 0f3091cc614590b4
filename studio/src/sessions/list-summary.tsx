import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { Pace } from '../live/pace.tsx'
import { stageTexts } from '../live/stage-texts.ts'
import { timeText } from '../shared/texts.ts'
import { listFiguresOf, type ListFigures } from './list-figures.ts'
import { periods, type ListState } from './list-state.ts'
import './list-summary.css'

interface ListSummaryProps {
  readonly sessions: readonly SessionSummary[]
  /** Whether these are all calls that match. */
  readonly complete: boolean
  readonly state: ListState
}

/** What the listed calls add up to: how many went wrong, how long callers waited, and what the calls cost. */
export function ListSummary({ sessions, complete, state }: ListSummaryProps) {
  const figures = listFiguresOf(sessions)
  const { calls, live, wrong, p50, p95, stage, cost } = figures
  return (
    <dl class="list-summary">
      <div>
        <dt>Calls</dt>
        <dd>{complete ? calls : `${calls}+`}</dd>
        <dd class="note">
          {complete ? callsNoteOf(live, state) : `figures of the ${sortName(state)} ${calls}`}
        </dd>
      </div>
      <div class={wrong > 0 ? 'bad' : ''}>
        <dt>Went wrong</dt>
        <dd>{wrong}</dd>
        <dd class="note">
          {calls === live ? 'none has ended' : `${Math.round((wrong / (calls - live)) * 100)} %`}
        </dd>
      </div>
      <div>
        <dt>Response time</dt>
        <dd>{p50 === undefined ? '–' : timeText(p50)}</dd>
        <dd class="note">
          {p95 === undefined ? (
            'no answers'
          ) : (
            <>
              p95 <Pace ms={p95} />
              {stage && `, mostly ${stageTexts[stage].name.toLowerCase()}`}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>{cost ?? '–'}</dd>
        <dd class="note">{costNoteOf(figures)}</dd>
      </div>
    </dl>
  )
}

const callsNoteOf = (live: number, { period }: ListState): string =>
  live > 0 ? `${live} live` : periods[period].name.toLowerCase()

const sortName = ({ sort }: ListState): string => (sort === 'newest' ? 'latest' : sort)

function costNoteOf({ cost, perCall, unpriced }: ListFigures): string {
  if (unpriced > 0) return unpriced === 1 ? '1 call not fully priced' : `${unpriced} calls not fully priced`
  if (cost === undefined) return 'no prices'
  return perCall === undefined ? 'in several currencies' : `${perCall} per call`
}
