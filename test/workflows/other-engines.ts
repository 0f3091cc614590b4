// Handlers that hand after-call work over, as docs/after-call.md shows them. Only their types are checked.
import { createHash } from 'node:crypto'
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client'
import type { AfterCallHandler } from 'endwell/host'
import type { PgBoss } from 'pg-boss'

declare const client: Client
declare const boss: PgBoss

// #region temporal
export const startInTemporal: AfterCallHandler = async (report, { key }) => {
  const options = { taskQueue: 'calls', workflowId: key, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const
  await client.workflow.start('followUp', { ...options, args: [report] }).catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  })
}
// #endregion

// #region pg-boss
export const startInPgBoss: AfterCallHandler = async (report, { key }) => {
  // The same UUID for the same key.
  const hex = createHash('sha256').update(key).digest('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
  await boss.send('follow-up', report, { id })
}
// #endregion
