import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SessionReport } from '../../../src/session/index.ts'
import { latenciesOf } from '../live/latency-figures.ts'
import { announcement } from '../shared/announcement.ts'
import { Panel } from '../shared/panel.tsx'
import { timeText } from '../shared/texts.ts'
import { Connections } from './connections.tsx'
import { Figures } from './figures.tsx'
import { ReportActions } from './report-actions.tsx'
import { verdictOf } from './verdict.ts'
import { VerdictLines } from './verdict-lines.tsx'
import { waterfallOf } from './waterfall.ts'
import { WaterfallTable } from './waterfall-table.tsx'
import './ended-panel.css'

interface EndedPanelProps {
  readonly report: SessionReport
  /** The report as text. */
  readonly text: () => Promise<string>
  /** Whether the call ended while the user watched: then the panel takes the focus, is announced, and shows every step. */
  readonly fresh?: boolean
  /** The faults that were on during the call. */
  readonly faults?: readonly string[] | undefined
}

/** How a call ended: in a sentence, in figures, and as a waterfall. */
export function EndedPanel({ report, text, fresh = false, faults }: EndedPanelProps) {
  const verdict = useMemo(() => verdictOf(report), [report])
  const latencies = useMemo(() => latenciesOf(report.turns), [report])
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!fresh) return
    announcement.value = `${verdict.reason} ${verdict.sentence}`
    title.current?.focus()
  }, [fresh, verdict])
  return (
    <Panel
      name="ended"
      modifier={verdict.clean ? 'clean' : 'unclean'}
      title="How the call ended"
      titleRef={title}
      aside={<ReportActions report={report} text={text} faults={faults} />}
    >
      <VerdictLines
        stamp={verdict.clean ? 'clean' : 'not clean'}
        look={verdict.clean ? 'clean' : 'unclean'}
        sentence={verdict.sentence}
        reason={verdict.reason}
        reasonTone={verdict.ended.tone}
        faults={faults}
      />
      <Figures
        lived={report.lived}
        took={report.took}
        closeTimeout={report.closeTimeout}
        turns={report.usage.turns}
        latencies={latencies}
        cost={report.cost}
      />
      <Steps report={report} fresh={fresh} others={verdict.others} clean={verdict.clean} />
    </Panel>
  )
}

interface StepsProps {
  readonly report: SessionReport
  readonly fresh: boolean
  readonly clean: boolean
  readonly others: readonly string[]
}

/** The waterfall, and what else went wrong. The waterfall is folded if all went well, and nobody has watched it grow. */
function Steps({ report, fresh, clean, others }: StepsProps) {
  const waterfall = useMemo(() => waterfallOf(report.scope), [report])
  const bars = waterfall.rows.filter((row) => row.type === 'bar')
  const [unfolded, unfold] = useState(fresh || bars.some(({ tone }) => tone !== 'good'))
  const wrong = others.length > 0 && (
    <div class="others">
      <h3>{clean ? 'What went wrong' : 'What else went wrong'}</h3>
      <ul>
        {others.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  )
  if (unfolded)
    return (
      <>
        <WaterfallTable waterfall={waterfall} />
        {wrong}
        <Connections report={report} />
      </>
    )
  return (
    <>
      {wrong}
      <div class="folded-steps">
        <button type="button" class="quiet" onClick={() => unfold(true)}>
          Show how it closed
        </button>
        <span class="quiet">
          {bars.length === 1 ? '1 step' : `${bars.length} steps`} in {timeText(report.took)}, all of them went
          well.
        </span>
      </div>
    </>
  )
}
