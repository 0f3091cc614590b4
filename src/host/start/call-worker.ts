// The main file of a call worker: takes calls with the agent of a file, and writes them to the journal of its supervisor.

import { describeError } from '../../scope/index.ts'
import { Watchdog } from '../supervisor/watchdog.ts'
import { LoopBlockedError } from '../supervisor/errors.ts'
import { WorkerLink } from '../supervisor/worker-link.ts'
import { jsonLog } from '../watch/json-log.ts'
import { openTraces } from '../watch/traces.ts'
import { openAgent } from './open-agent.ts'
import { serveCalls } from './serve-calls.ts'
import { takeSettings, type WorkerSettings } from './worker-settings.ts'

async function main(link: WorkerLink, settings: WorkerSettings): Promise<void> {
  const { agentFile, closeTimeout, logLevel } = settings
  const logger = jsonLog({ level: logLevel, write: (line) => process.stdout.write(`${line}\n`) })
  const { file, models: made } = await openAgent(agentFile)
  const { reception, address } = await serveCalls(link, settings, {
    file,
    models: file.models,
    made,
    logger,
    info: { mode: 'production' },
    traces: await openTraces({ logger }),
    ended: ({ id, reason, clean, took }) =>
      logger.info({ call: id, reason, clean, took }, 'the call has ended'),
    began: (call, from) => logger.info({ call, from }, 'a call'),
  })
  await Watchdog.start({
    closeTimeout,
    onBlocked: ({ ms, how, culprit }) => {
      const where = culprit && `${culprit.function} (${culprit.file}:${culprit.line})`
      logger.error({ ms, how, culprit: where }, 'the event loop was blocked')
      reception.reportError('event loop', new LoopBlockedError(ms, where))
    },
  })
  link.ready(address)
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
