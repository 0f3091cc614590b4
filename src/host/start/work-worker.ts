// The main file of the work worker: runs what is to be done after calls, in a process of its own.

import { Scope, describeError, noop } from '../../scope/index.ts'
import { remoteJournal, type JournalAnswer } from '../journal/remote-journal.ts'
import { WorkerLink } from '../supervisor/worker-link.ts'
import { WorkRunner } from '../work/work-runner.ts'
import { jsonLog } from '../watch/json-log.ts'
import { Metrics } from '../watch/metrics.ts'
import { loadAgent } from './load-agent.ts'
import { takeSettings, workOwner, type WorkerRequest, type WorkerSettings } from './worker-settings.ts'

async function main(link: WorkerLink, settings: WorkerSettings): Promise<void> {
  const { agentFile, logLevel, closeTimeout, workLease } = settings
  const ask = (request: WorkerRequest): Promise<unknown> => link.request(request)
  const logger = jsonLog({ level: logLevel, write: (line) => process.stdout.write(`${line}\n`) })
  const { afterCall = {}, afterCallTimeout } = await loadAgent(agentFile)
  const { host } = (await ask({ type: 'identity' })) as { readonly host: string }
  const scope = new Scope<string>('after-call work', { closeTimeout })
  const metrics = new Metrics()
  const runner = new WorkRunner({
    scope,
    journal: remoteJournal(async (request) => (await ask({ type: 'journal', request })) as JournalAnswer),
    owner: workOwner(host, link.identity.name),
    handlers: afterCall,
    lease: workLease,
    ...(afterCallTimeout === undefined ? {} : { timeout: afterCallTimeout }),
    logger,
    onAttempt: ({ outcome }) => metrics.attempted(outcome === 'waiting' ? 'retry' : outcome),
  })
  let finishing = false
  const finish = async (): Promise<void> => {
    if (finishing) return
    finishing = true
    const { clean } = await scope.close()
    // Work that was cut off is done again: nothing is lost.
    link.exit({ clean, written: true })
  }
  link.onDrain(() => void finish().catch(noop))
  link.onClose(() => void finish().catch(noop))
  link.onWake(() => runner.wake())
  link.onMetrics(() => metrics.snapshot())
  link.ready()
}

const link = WorkerLink.open()
if (!link) {
  process.stderr.write('this file is started by `endwell start`\n')
  process.exitCode = 2
} else {
  main(link, takeSettings(process.env)).catch((error: unknown) => {
    process.stderr.write(`${describeError(error).message}\n`)
    process.exit(1)
  })
}
