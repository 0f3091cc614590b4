// A process with after-call work that is handed over to DBOS. Killed right after the first hand-over of each call.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { WorkRunner, openJournal, type AfterCallHandler } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { reportOf } from '../../src/testing/journal-conformance/samples.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { startInDbos } from './start-in-dbos.ts'

const { DATABASE = '', OWNER = '' } = process.env

const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    process.send!(message, undefined, undefined, () => resolve())
  })

const followUp: AfterCallHandler = async (report, context) => {
  await startInDbos(report, context)
  const { key, attempt } = context
  await send({ type: 'handed-over', key, attempt })
  // Between the hand-over and its entry in the journal.
  if (attempt === 1) process.kill(process.pid, 'SIGKILL')
}

const silent = { debug() {}, info() {}, warn() {}, error: console.error }
DBOS.setConfig({ name: 'endwell-workflows', systemDatabaseUrl: DATABASE, logger: silent })
await DBOS.launch()
const journal = await openJournal(DATABASE)
const scope = new Scope('work worker')
const runner = new WorkRunner({
  scope,
  journal,
  owner: OWNER,
  handlers: { followUp },
  concurrency: 1,
  onAttempt({ key, outcome }) {
    send({ type: 'settled', key, outcome }).catch(console.error)
  },
})
runner.wake()

process.on('message', ({ keys }: ToWorker) => {
  finish(keys).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})

/** Hands everything over twice more, at once, waits for the workflows, and ends. */
async function finish(keys: readonly string[]): Promise<void> {
  const { signal } = new AbortController()
  const results: Record<string, string> = {}
  for (const key of keys) {
    const [call = ''] = key.split('/')
    const again = (): unknown => startInDbos(reportOf(call), { key, call, attempt: 3, signal })
    await Promise.all([again(), again()])
    const workflow = DBOS.retrieveWorkflow<string>(key)
    results[key] = (await workflow.getStatus()) ? await workflow.getResult() : 'no workflow'
    await again()
  }
  await send({ type: 'results', results })
  await scope.close()
  await journal.close()
  await DBOS.shutdown()
  process.disconnect()
}
