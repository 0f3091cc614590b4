import type { Session, SessionReport, TurnLatency } from '../session/index.ts'
import type { Spent } from './wire/index.ts'

/** What a session, or a closed one by its report, has used and cost. */
export function spentOf({ usage, cost }: Pick<Session, 'usage' | 'cost'> | SessionReport): Spent {
  return { usage, ...(cost ? { cost } : {}) }
}

/** How long the caller waited for each answer, as the event `latency` has it. */
export function latenciesOf({ turns }: SessionReport): TurnLatency[] {
  return turns.map(({ latency: ms, stages, heard, by }) => ({ ms, stages, heard, by }))
}
