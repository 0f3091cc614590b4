import type { Logger } from '../parts/index.ts'
import { Scope, type Clock, type Intercept, type Late } from '../scope/index.ts'
import { bounded } from './bounded.ts'
import type { SessionReport } from './report.ts'
import type { AfterCall } from './settings.ts'

export interface AfterCallOptions {
  readonly clock: Clock
  /** For each handler. */
  readonly timeout: number
  readonly logger: Logger
  readonly onLate?: ((late: Late) => void) | undefined
  readonly intercept?: Intercept | undefined
}

/** Runs the work after a call: all handlers at once, each in its own time, none disturbed by another (CL5). */
export async function runAfterCall(
  handlers: readonly AfterCall[],
  report: SessionReport,
  { clock, timeout, logger, onLate, intercept }: AfterCallOptions,
): Promise<void> {
  if (handlers.length === 0) return
  const scope = new Scope(`after call ${report.id}`, {
    clock,
    ...(onLate ? { onLate } : {}),
    ...(intercept ? { intercept } : {}),
  })
  const work = handlers.map(async (handler, index) => {
    const name = handler.name || `handler ${index + 1}`
    const task = scope.spawn(name, async ({ signal }) => handler(report, { signal }))
    const outcome = await bounded(scope, timeout, `time of ${name}`, task.result)
    if (outcome.how === 'failed')
      logger.error({ session: report.id, handler: name, error: outcome.error }, 'after-call work failed')
    if (outcome.how === 'late') {
      task.cancel(`${name} took longer than ${timeout} ms`)
      logger.error({ session: report.id, handler: name }, `after-call work took longer than ${timeout} ms`)
    }
  })
  await Promise.all(work)
  await scope.close({ reason: 'after-call work is done' })
}
