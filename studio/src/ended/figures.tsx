import { latencyFiguresOf } from '../../../src/host/wire/index.ts'
import type { CostReport, TurnLatency } from '../../../src/session/index.ts'
import { Pace } from '../live/pace.tsx'
import { clockText, costText, timeText } from '../shared/texts.ts'
import './figures.css'

interface FiguresProps {
  /** How long the call lasted, and how long its close took and may take, in milliseconds. */
  readonly lived: number
  readonly took: number
  readonly closeTimeout: number
  readonly turns: number
  readonly latencies: readonly TurnLatency[]
  readonly cost: CostReport | undefined
}

/** The numbers of a call. */
export function Figures({ lived, took, closeTimeout, turns, latencies, cost }: FiguresProps) {
  const latency = latencyFiguresOf(latencies)
  return (
    <dl class="figures">
      <Figure name="duration">{clockText(lived)}</Figure>
      <Figure name="turns">{turns}</Figure>
      <Figure name="response time, p50">{latency ? <Pace ms={latency.p50} /> : '–'}</Figure>
      <Figure name="response time, p95">{latency ? <Pace ms={latency.p95} /> : '–'}</Figure>
      <Figure name="cost">{cost ? costText(cost) : '–'}</Figure>
      <Figure name={closeTimeout > 0 ? `to close, of ${timeText(closeTimeout)}` : 'to close'}>
        {timeText(took)}
      </Figure>
    </dl>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
