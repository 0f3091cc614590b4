import type { SessionReport } from '../../../src/session/index.ts'
import { clockText, timeText } from '../shared/texts.ts'
import './figures.css'

/** The numbers of a report. */
export function Figures({ report }: { readonly report: SessionReport }) {
  const { took, closeTimeout, lived, usage, connections } = report
  const figures: readonly (readonly [string, string])[] = [
    ['close time', timeText(took)],
    ['deadline', timeText(closeTimeout)],
    ['duration', clockText(lived)],
    ['turns', String(usage.turns)],
    ['tool calls', String(usage.toolCalls)],
    ['connections', String(connections.length)],
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
