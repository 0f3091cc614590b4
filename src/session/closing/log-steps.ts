import type { Logger } from '../../parts/index.ts'
import type { ScopeReport } from '../../scope/index.ts'
import type { SessionReport } from './report.ts'

/** A step that took this long is worth a line in the log, in milliseconds. */
export const SLOW_STEP = 1_000

/** Logs every step of a close that was forced, failed, abandoned or slow, for the on-call engineer. */
export function logSteps({ id: session, scope }: SessionReport, logger: Logger): void {
  for (const { forced, ...step } of notableSteps(scope)) {
    if (forced) logger.warn({ session, ...step }, 'a step of the close was forced or failed')
    else logger.info({ session, ...step }, 'a step of the close was slow')
  }
}

interface NotableStep {
  readonly step: string
  readonly outcome: string
  readonly took: number
  readonly forced: boolean
  readonly error?: string
}

/** The notable steps of a scope and of the scopes below it. */
function notableSteps({ steps, tasks, children }: ScopeReport): NotableStep[] {
  const found: NotableStep[] = []
  const note = (step: string, outcome: string, took: number, fine: boolean, message?: string): void => {
    if (fine && took < SLOW_STEP) return
    found.push({ step, outcome, took, forced: !fine, ...(message === undefined ? {} : { error: message }) })
  }
  for (const { name, outcome, took, error } of steps)
    note(name, outcome, took, outcome === 'done', error?.message)
  for (const { name, outcome, at, error } of tasks)
    note(name, outcome, at, outcome !== 'failed' && outcome !== 'abandoned', error?.message)
  for (const { report } of children) found.push(...notableSteps(report))
  return found
}
