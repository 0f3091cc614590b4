import type { ScopeReport } from '../scope/index.ts'

/** A step that took longer than this is worth a line in the log, in milliseconds. */
const SLOW = 1_000

/** One thing of a close that somebody on call wants to see. */
export interface ForcedStep {
  readonly step: string
  readonly outcome: string
  readonly took: number
  readonly forced: boolean
  readonly error?: string
}

/** What was forced, failed, abandoned or slow in a close, in the scopes below, too. */
export function forcedSteps({ steps, tasks, children }: ScopeReport): ForcedStep[] {
  const found: ForcedStep[] = []
  const note = (step: string, outcome: string, took: number, fine: boolean, message?: string): void => {
    if (fine && took < SLOW) return
    found.push({ step, outcome, took, forced: !fine, ...(message === undefined ? {} : { error: message }) })
  }
  for (const { name, outcome, took, error } of steps)
    note(name, outcome, took, outcome === 'done', error?.message)
  for (const { name, outcome, at, error } of tasks)
    note(name, outcome, at, outcome !== 'failed' && outcome !== 'abandoned', error?.message)
  for (const { report } of children) found.push(...forcedSteps(report))
  return found
}
