import type { SessionReport } from '../../../src/session/index.ts'
import { clockText, costText, timeText } from '../shared/texts.ts'
import './figures.css'

/** The numbers of a report. */
export function Figures({ report }: { readonly report: SessionReport }) {
  const { took, closeTimeout, lived, usage, cost, connections } = report
  const figures: readonly (readonly [string, string])[] = [
    ['close time', timeText(took)],
    ['deadline', timeText(closeTimeout)],
    ['duration', clockText(lived)],
    ['turns', String(usage.turns)],
    ['tool calls', String(usage.toolCalls)],
    ['connections', String(connections.length)],
    ...(cost ? [['cost', costText(cost)] as const] : []),
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
