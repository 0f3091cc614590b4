import { hasLocalRoom } from '../../providers/local/index.ts'
import type { Logger } from '../../parts/index.ts'
import { Scope, noop } from '../../scope/index.ts'
import type { Models } from '../../session/index.ts'
import type { AgentFile } from '../agent-file.ts'
import { Archive } from '../archive.ts'
import { Directory } from '../fleet/directory.ts'
import { FleetDials } from '../fleet/fleet-dials.ts'
import { FleetWrites } from '../fleet/fleet-writes.ts'
import { Operations } from '../fleet/operations.ts'
import { answerWithin } from '../journal/answer-within.ts'
import { remoteJournal, type JournalAnswer } from '../journal/remote-journal.ts'
import type { Owner } from '../journal/journal.ts'
import { CallLog } from '../reception/call-log.ts'
import { Reception, type ReceptionOptions } from '../reception/reception.ts'
import type { ReceptionEnd } from '../reception/reception-end.ts'
import { Spool } from '../reception/spool.ts'
import { limits } from '../supervisor/limits.ts'
import type { WorkerLink } from '../supervisor/worker-link.ts'
import { Metrics } from '../watch/metrics.ts'
import { modelNames } from './check-models.ts'
import type { WorkerRequest, WorkerSettings } from './worker-settings.ts'

/** What the process of a worker adds to the settings of its supervisor. */
export interface CallParts extends Pick<
  ReceptionOptions,
  'began' | 'ended' | 'faults' | 'prepare' | 'rejoinTimeout' | 'traces'
> {
  readonly file: AgentFile
  /** Creates the models. Called once per call. */
  readonly models: () => Models
  /** Models that were made for the check. */
  readonly made: Models
  readonly logger: Logger
  /** What the page shows about the agent, besides its name, its version and its models. */
  readonly info: Pick<ReceptionOptions['info'], 'mode' | 'phrases' | 'generation'>
  /** Called when all calls have ended, before the process exits. */
  readonly finished?: (end: ReceptionEnd) => Promise<void>
}

/** Where other processes reach this one, for `link.ready`. */
export interface ServedCalls {
  readonly reception: Reception
  readonly address: string
}

/** Takes calls in a worker process, and writes them to the journal of its supervisor. */
export async function serveCalls(
  link: WorkerLink,
  settings: WorkerSettings,
  parts: CallParts,
): Promise<ServedCalls> {
  const { privateHost, closeTimeout } = settings
  const { file, models, made, logger, info, finished = noop, ...own } = parts
  const ask = (request: WorkerRequest): Promise<unknown> => link.request(request)
  const identity = (await ask({ type: 'identity' })) as { readonly host: string }
  const { name } = link.identity
  let owner: Owner = { host: identity.host, worker: name, address: '' }
  const journal = remoteJournal(async (request) => (await ask({ type: 'journal', request })) as JournalAnswer)
  const scope = new Scope<string>('call log', { closeTimeout })
  const metrics = new Metrics({ names: Object.values(modelNames(made)) })
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
  const ownerNow = (): Owner => owner
  const directory = new Directory({ clock: scope.clock, journal, own: ownerNow })
  const writes = new FleetWrites({ scope, journal, logger })
  let calls = 0
  /** The only call of an isolated worker has ended. */
  let isOver = false
  const changed = (): void => {
    const { occupied } = reception.entrance
    if (occupied === calls) return
    calls = occupied
    isOver = settings.isolated && calls === 0
    link.calls(calls)
  }
  const reception = await Reception.start({
    ...settings,
    ...own,
    file,
    models,
    // Connections to the public port come from the supervisor.
    port: 0,
    host: privateHost,
    logger,
    info: { ...settings.info, ...info, name: file.name, models: modelNames(made) },
    // A host that was declared dead takes no calls until it has joined again.
    hasRoom: () => owner.host !== '' && !isOver && hasLocalRoom(),
    neighbours: {
      hasRoom: async () =>
        (await answerWithin(scope.clock, limits.roomAnswer, ask({ type: 'room' }))) === true,
      own: name,
      addressOf: async (of) => {
        const asked = of === undefined ? ask({ type: 'address' }) : ask({ type: 'address', of })
        // A place may have to be waited for.
        const wait = limits.roomAnswer + (of === undefined ? limits.room : 0)
        const address = await answerWithin(scope.clock, wait, asked)
        return typeof address === 'string' ? address : undefined
      },
      pass: (socket, request, failed) => link.pass(socket, request, failed),
    },
    changed,
    journal: { log, owner: ownerNow, take: (call) => journal.take(call, owner) },
    fleet: {
      archive,
      directory,
      dials: new FleetDials({ clock: scope.clock, journal, directory, own: ownerNow, writes }),
      writes,
      operations: new Operations({
        journal,
        own: { id: () => owner.host, drain: () => ask({ type: 'drain' }) },
      }),
    },
    refused: (why) => metrics.refused(refusedBecause[why]),
    metrics: async () => (await ask({ type: 'metrics' })) as { readonly type: string; readonly body: string },
    follow: (session, { line }) => metrics.follow(session, { line }),
  })
  owner = { ...owner, address: addressOf(privateHost, reception.port) }

  const end = async (): Promise<void> => {
    const ended = await reception.close()
    await scope.close()
    await ask({ type: 'last-metrics', snapshot: await metrics.snapshot() }).catch(noop)
    await finished(ended)
    link.exit({ clean: ended.clean, written: ended.notWritten === 0 && log.lost === 0 })
  }
  let ending: Promise<void> | undefined
  // A drain may be followed by a close.
  const finish = (): Promise<void> => (ending ??= end())
  link.onDrain(({ within }) => void reception.drain(within).then(finish).catch(noop))
  link.onClose(({ cause }) => {
    // Without a supervisor, this host is dead. Its calls go on elsewhere, if their callers come back.
    if (cause === 'supervisor-lost') reception.letGoAll()
    finish().catch(noop)
  })
  link.onAbort(() => reception.abort())
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
  return { reception, address: owner.address }
}

/** Why a call was refused, in the words of the metrics. */
const refusedBecause = { BUSY: 'busy', TOO_FAST: 'rate', CLOSING: 'draining' } as const

function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
