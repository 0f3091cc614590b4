import type { OpenStage } from './line-stage.ts'
import { rtviOnSockets } from './rtvi-websocket.ts'
import { hangUpCases, runHangUp, type HangUpOutcome } from './run-case.ts'

/** The lines whose calls are ended over real sockets, by name. */
export const lines: Readonly<Record<string, OpenStage>> = { 'rtvi over websocket': rtviOnSockets }

/** Calls at once. They mostly wait. */
const CONCURRENCY = 12

export interface LineOutcome extends HangUpOutcome {
  readonly name: string
}

/** Ends calls of every line in every way at every moment, over real sockets. */
export async function runHangUps(filter: string): Promise<readonly LineOutcome[]> {
  const waiting = Object.entries(lines).flatMap(([line, openStage]) =>
    hangUpCases
      .map((one) => ({ one, openStage, name: `${line} · ${one.way} ${one.moment}` }))
      .filter(({ name }) => name.includes(filter)),
  )
  const outcomes: LineOutcome[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      outcomes.push({ name: next.name, ...(await runHangUp(next.openStage, next.one)) })
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return outcomes
}
