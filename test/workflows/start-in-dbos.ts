import { DBOS } from '@dbos-inc/dbos-sdk'
import type { SessionReport } from 'endwell'
import type { AfterCallHandler } from 'endwell/host'

/** A workflow of two steps with a pause between them. */
export const followUp = DBOS.registerWorkflow(
  async (report: SessionReport): Promise<string> => {
    const greeting = await DBOS.runStep(async () => `Thank you for calling, ${report.id}`, { name: 'write' })
    await DBOS.sleepms(100)
    return DBOS.runStep(async () => `${greeting}!`, { name: 'send' })
  },
  { name: 'followUp' },
)

// #region dbos
export const startInDbos: AfterCallHandler = async (report, { key }) => {
  await DBOS.startWorkflow(followUp, { workflowID: key })(report)
}
// #endregion
