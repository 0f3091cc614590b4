import { timeText } from '../../report/index.ts'
import { formatLatency, type SessionReport } from '../../session/index.ts'
import { timeOfDay } from '../terminal.ts'

/** The parts of a report that `endwell dev` prints. */
export type EndedCall = Pick<SessionReport, 'id' | 'reason' | 'clean' | 'took' | 'error' | 'turns'>

/** How a call ended, and where the time of its answers went. */
export function endedLines({ id, reason, clean, took, error, turns }: EndedCall): string[] {
  const how = clean ? 'clean' : 'not clean'
  const why = error ? [`${error.name}: ${error.message}`] : []
  const latency = formatLatency(turns)
  return [
    `${timeOfDay()} ended ${[id, reason, how, timeText(took), ...why].join(' · ')}`,
    ...(latency === undefined ? [] : [`         ${latency}`]),
  ]
}
