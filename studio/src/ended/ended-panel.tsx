import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { SessionReport } from '../../../src/session/index.ts'
import { announcement } from '../shared/announcement.ts'
import { Panel } from '../shared/panel.tsx'
import { Connections } from './connections.tsx'
import { Figures } from './figures.tsx'
import { ReportActions } from './report-actions.tsx'
import { verdictOf } from './verdict.ts'
import { waterfallOf } from './waterfall.ts'
import { WaterfallTable } from './waterfall-table.tsx'
import './ended-panel.css'

interface EndedPanelProps {
  readonly report: SessionReport
  /** The report as text. */
  readonly text: () => Promise<string>
  /** Whether the session ended while the user watched: then the panel takes the focus and is announced. */
  readonly fresh?: boolean
  /** The faults that were on during the call. */
  readonly faults?: readonly string[] | undefined
}

/** How a session ended: in a sentence, in figures, and as a waterfall. */
export function EndedPanel({ report, text, fresh = false, faults = [] }: EndedPanelProps) {
  const verdict = useMemo(() => verdictOf(report), [report])
  const waterfall = useMemo(() => waterfallOf(report.scope), [report])
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
      title="How the session ended"
      titleRef={title}
      aside={<ReportActions report={report} text={text} />}
    >
      <div class="verdict">
        <span class="stamp">{verdict.clean ? 'clean' : 'not clean'}</span>
        <div>
          <p class="sentence">{verdict.sentence}</p>
          <p class={`reason ${verdict.ended.tone}`}>{verdict.reason}</p>
          {faults.length > 0 && <p class="injected">Faults that were on: {faults.join(', ')}</p>}
        </div>
      </div>
      {verdict.others.length > 0 && (
        <ul class="others">
          {verdict.others.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <Figures report={report} />
      <WaterfallTable waterfall={waterfall} />
      <Connections report={report} />
    </Panel>
  )
}
