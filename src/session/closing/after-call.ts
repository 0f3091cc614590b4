import { Scope } from '../../scope/index.ts'
import { bounded } from '../bounded.ts'
import type { SessionSettings } from '../settings.ts'
import type { SessionReport } from './report.ts'

/** How long handlers that were cancelled may take to clean up, in milliseconds. */
const CLEANUP = 100

/** Runs the work after a call: all handlers at once, each within its own timeout, none affected by another (CL5). */
export async function runAfterCall(report: SessionReport, settings: SessionSettings): Promise<void> {
  const { clock, logger, afterCall, afterCallTimeout, onLate, intercept } = settings
  const scope = new Scope(`after call ${report.id}`, {
    clock,
    ...(onLate ? { onLate } : {}),
    ...(intercept ? { intercept } : {}),
  })
  const work = afterCall.map(async (handler, index) => {
    const name = handler.name || `handler ${index + 1}`
    const task = scope.spawn(name, async ({ signal }) => handler(report, { signal }))
    const outcome = await bounded(scope, afterCallTimeout, `time of ${name}`, task.result)
    if (outcome.how === 'failed')
      logger.error({ session: report.id, handler: name, error: outcome.error }, 'after-call work failed')
    if (outcome.how === 'late') {
      const why = `took longer than ${afterCallTimeout} ms`
      task.cancel(`${name} ${why}`)
      logger.error({ session: report.id, handler: name }, `after-call work ${why}`)
    }
  })
  await Promise.all(work)
  // Handlers that were late have been cancelled. They get a moment to clean up, and no more.
  await scope.close({ reason: 'after-call work is done', closeTimeout: CLEANUP })
}
