// The main file of a call worker: takes calls with the agent of a file, and writes them to the journal of its supervisor.

import { hasLocalRoom } from '../../providers/local/index.ts'
import { Scope, describeError, noop } from '../../scope/index.ts'
import { Archive } from '../archive.ts'
import { Directory } from '../fleet/directory.ts'
import { FleetDials } from '../fleet/fleet-dials.ts'
import { FleetWrites } from '../fleet/fleet-writes.ts'
import { Operations } from '../fleet/operations.ts'
import { answerWithin } from '../journal/answer-within.ts'
import { remoteJournal, type JournalAnswer } from '../journal/remote-journal.ts'
import type { Owner } from '../journal/journal.ts'
import { CallLog } from '../reception/call-log.ts'
import { Reception } from '../reception/reception.ts'
import { Spool } from '../reception/spool.ts'
import { limits } from '../supervisor/limits.ts'
import { Watchdog } from '../supervisor/watchdog.ts'
import { LoopBlockedError } from '../supervisor/errors.ts'
import { WorkerLink } from '../supervisor/worker-link.ts'
import { jsonLog } from '../watch/json-log.ts'
import { Metrics } from '../watch/metrics.ts'
import { openTraces } from '../watch/traces.ts'
import { modelNames } from './check-models.ts'
import { openAgent } from './open-agent.ts'
import { takeSettings, type WorkerRequest, type WorkerSettings } from './worker-settings.ts'

async function main(link: WorkerLink, settings: WorkerSettings): Promise<void> {
  const { agentFile, privateHost, closeTimeout, logLevel } = settings
  const ask = (request: WorkerRequest): Promise<unknown> => link.request(request)
  const logger = jsonLog({ level: logLevel, write: (line) => process.stdout.write(`${line}\n`) })
  const { file, models } = await openAgent(agentFile)
  const identity = (await ask({ type: 'identity' })) as { readonly host: string }
  const { name } = link.identity
  let owner: Owner = { host: identity.host, worker: name, address: '' }
  const journal = remoteJournal(async (request) => (await ask({ type: 'journal', request })) as JournalAnswer)
  const scope = new Scope<string>('call log', { closeTimeout })
  const metrics = new Metrics({ names: Object.values(modelNames(models)) })
  const traces = await openTraces({ logger })
  const log = new CallLog({
    scope,
    journal,
    spool: new Spool(settings.spool, `${identity.host}-${name}`),
    logger,
    whileAway: settings.whileAway,
    fenced: (call) => reception.letGo(call),
    written: (ms) => metrics.appended(ms),
  })
  scope.own('call log', log)
  const archive = new Archive(journal)
  const own = (): Owner => owner
  const directory = new Directory({ clock: scope.clock, journal, own })
  const writes = new FleetWrites({ scope, journal, logger })
  let calls = 0
  /** The only call of an isolated worker has ended. */
  let finished = false
  const changed = (): void => {
    const { occupied } = reception.entrance
    if (occupied === calls) return
    calls = occupied
    finished = settings.isolated && calls === 0
    link.calls(calls)
  }
  const reception = await Reception.start({
    ...settings,
    file,
    models: file.models,
    // Connections to the public port come from the supervisor.
    port: 0,
    host: privateHost,
    logger,
    info: { ...settings.info, name: file.name, mode: 'production', models: modelNames(models) },
    // A host that was declared dead takes no calls until it has joined again.
    hasRoom: () => owner.host !== '' && !finished && hasLocalRoom(),
    neighbours: {
      hasRoom: async () =>
        (await answerWithin(scope.clock, limits.roomAnswer, ask({ type: 'room' }))) === true,
      pass: (socket, request, failed) => link.pass(socket, request, failed),
    },
    changed,
    journal: { log, owner: own, take: (call) => journal.take(call, owner) },
    fleet: {
      archive,
      directory,
      dials: new FleetDials({ clock: scope.clock, journal, directory, own, writes }),
      writes,
      operations: new Operations({
        journal,
        own: { id: () => owner.host, drain: () => ask({ type: 'drain' }) },
      }),
    },
    traces,
    refused: (why) => metrics.refused(refusedBecause[why]),
    metrics: async () => (await ask({ type: 'metrics' })) as { readonly type: string; readonly body: string },
    follow: (session, { line }) => metrics.follow(session, { line }),
    ended: ({ id, reason, clean, took }) =>
      logger.info({ call: id, reason, clean, took }, 'the call has ended'),
    began: (call, from) => logger.info({ call, from }, 'a call'),
  })
  owner = { ...owner, address: addressOf(privateHost, reception.port) }

  const finish = async (): Promise<void> => {
    const { clean, notWritten } = await reception.close()
    await scope.close()
    await ask({ type: 'last-metrics', snapshot: await metrics.snapshot() }).catch(noop)
    link.exit({ clean, written: notWritten === 0 && log.lost === 0 })
  }
  link.onDrain(({ within }) => void reception.drain(within).then(finish).catch(noop))
  link.onClose(({ cause }) => {
    // Without a supervisor, this host is dead. Its calls go on elsewhere, if their callers come back.
    if (cause === 'supervisor-lost') reception.letGoAll()
    finish().catch(noop)
  })
  link.onOrder(({ call, order }) => {
    const session = reception.session(call)
    if (order === 'interrupt') session?.interrupt()
    else session?.[order]({ by: 'operator' }).catch(noop)
  })
  link.onHost((host) => {
    owner = { ...owner, host }
    reception.letGoAll()
  })
  link.onWake(() => archive.changed())
  link.onConnection((socket) => reception.accept(socket))
  link.onPassed((socket, request) => reception.accept(socket, request))
  link.onMetrics(() => {
    metrics.spooled(log.spooled)
    return metrics.snapshot()
  })
  await Watchdog.start({
    closeTimeout,
    onBlocked: ({ ms, how, culprit }) => {
      const where = culprit && `${culprit.function} (${culprit.file}:${culprit.line})`
      logger.error({ ms, how, culprit: where }, 'the event loop was blocked')
      reception.reportError('event loop', new LoopBlockedError(ms, where))
    },
  })
  link.ready(owner.address)
}

/** Why a call was refused, in the words of the metrics. */
const refusedBecause = { BUSY: 'busy', TOO_FAST: 'rate', CLOSING: 'draining' } as const

function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
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
