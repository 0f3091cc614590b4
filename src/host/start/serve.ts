import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newKey, sign } from '../../lines/index.ts'
import { hangUpCall } from '../../lines/twilio/index.ts'
import { silentLogger, type Logger } from '../../parts/index.ts'
import { OptionError, Scope, noop } from '../../scope/index.ts'
import { FleetMember } from '../fleet/fleet-member.ts'
import { openJournal, type Journal, type LostCall } from '../journal/index.ts'
import { answerRequest, type JournalAnswer, type JournalRequest } from '../journal/remote-journal.ts'
import type { PhoneAccount } from '../reception/entrance.ts'
import { importSpools } from '../reception/spool.ts'
import { Supervisor, type WorkerView } from '../supervisor/supervisor.ts'
import type { Block } from '../supervisor/messages.ts'
import type { ReplaceReason } from '../supervisor/supervisor-events.ts'
import type { Level } from '../watch/log-record.ts'
import { WorkerMetrics, mergeMetrics, type MetricsSnapshot } from '../watch/merge-metrics.ts'
import type { RestartWhy } from '../watch/metric-table.ts'
import { Metrics } from '../watch/metrics.ts'
import { ownVersion } from './version.ts'
import { settingsInEnv, workOwner, type WorkerRequest, type WorkerSettings } from './worker-settings.ts'

export interface ServeOptions {
  /** Default: 4600. 0 for any free port. */
  readonly port?: number
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Where clients and carriers reach this host: `https://phone.example.com`. */
  readonly publicUrl?: string
  /** Host names of this server, besides that of `publicUrl`, addresses and `localhost`. */
  readonly names?: readonly string[]
  /** Required from every client, if set. */
  readonly secret?: string
  /** The folder for the journal and for what is written while that is away. Default: `./endwell-data`. */
  readonly data?: string
  /** A Postgres database for the journal, which several hosts may share. Default: SQLite in the data folder. */
  readonly databaseUrl?: string
  /** Names this host for operators. Default: the name of the machine. */
  readonly name?: string
  /** The version of the program, for operators. Default: that of endwell. */
  readonly version?: string
  /** Processes that take calls. Default: 1. */
  readonly workers?: number
  /** Calls at once, in all workers together. Default: 100. */
  readonly maxCalls?: number
  /** In MB, per worker. A worker above it is drained and replaced. Default: none. */
  readonly memoryLimit?: number
  /** How long calls may take to finish by themselves when the host drains, in milliseconds. Default: 10 minutes. */
  readonly drainTimeout?: number
  /** How long a session may take to close, in milliseconds. Default: 5 s. */
  readonly closeTimeout?: number
  /** How long this host may be silent before others adopt its calls, in milliseconds. Default: 15 s. */
  readonly lease?: number
  /** How long a caller whose process is gone may take to come back, in milliseconds. Default: 20 s. */
  readonly resumeWindow?: number
  /** The address at which other hosts reach this one. Default: 127.0.0.1, which only this machine can reach. */
  readonly privateHost?: string
  /** Whether calls are taken while the journal is away. Default: `spool`. */
  readonly whileAway?: 'spool' | 'refuse'
  /** How long calls are kept in the journal, in milliseconds. Default: 30 days. */
  readonly retention?: number
  readonly phone?: PhoneAccount
  /** The folder of the page. Default: none. */
  readonly page?: string
  /** What is said to callers who are still there when a drain ends. */
  readonly goodbye?: string
  /** What is said to a caller whose call goes on in another process. */
  readonly welcomeBack?: string
  /** The level of the workers' logs. Default: `info`. */
  readonly logLevel?: Level
  readonly logger?: Logger
}

/** A host that runs. */
export interface Running {
  /** The URL for a browser on this machine. */
  readonly url: string
  /** Its id in the journal. It changes if the host was declared dead. */
  readonly id: string
  readonly workers: readonly WorkerView[]
  /** Resolves to the exit code when everything has ended. */
  readonly ended: Promise<number>
  /** What SIGTERM does: the first drains, the second closes all calls now, the third kills. */
  signal(): void
  /** Takes no more calls, and ends after the last one, as after the first signal. Repeating it changes nothing. */
  drain(): void
}

const DAY = 86_400_000
/** Milliseconds between two looks for calls that are too old, and how many are deleted at once. */
const IMPORT_EVERY = 15_000
const PRUNE_EVERY = 3_600_000
const PRUNE_AT_ONCE = 500
/** Milliseconds between two messages to the workers that calls have begun or ended. */
const CHANGES_EVERY = 500

/** Why a worker is replaced, in the words of the metrics. */
const restartCauses: Readonly<Record<ReplaceReason, RestartWhy>> = {
  exited: 'exit',
  cut: 'blocked',
  stuck: 'blocked',
  memory: 'memory',
  'start-timeout': 'other',
}

const entry = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url))

/**
 * Serves an agent in production: its calls survive the processes that serve them. The agent file is loaded by workers, never
 * by this process.
 *
 * ```ts
 * const host = await serve('agent.js', { port: 8080, publicUrl: 'https://phone.example.com' })
 * process.on('SIGTERM', () => host.signal())
 * process.exitCode = await host.ended
 * ```
 */
export async function serve(agentFile: string, options: ServeOptions = {}): Promise<Running> {
  const { data = './endwell-data', databaseUrl } = options
  const journal = await openJournal(databaseUrl ?? data)
  try {
    return await ProductionHost.start(agentFile, options, journal)
  } catch (error) {
    await journal.close().catch(noop)
    throw error
  }
}

/** Puts the parts of a host together: the journal, its place in the fleet, and the supervisor of its workers. */
class ProductionHost implements Running {
  readonly #options: ServeOptions
  readonly #journal: Journal
  readonly #logger: Logger
  readonly #scope: Scope<string>
  readonly #member: FleetMember
  readonly #metrics = new Metrics()
  readonly #workerMetrics = new WorkerMetrics()
  /** What blocked the event loop of a worker last, for the reports of its calls. */
  readonly #culprits = new Map<string, string>()
  /** The ids that this host has had. */
  readonly #ids = new Set<string>()
  #supervisor: Supervisor | undefined
  #ended: Promise<number> | undefined
  #draining = false
  #toldSoon = false
  #importing: Promise<void> = Promise.resolve()
  #forget: () => void = noop

  private constructor(options: ServeOptions, journal: Journal) {
    const { logger = silentLogger, name = hostname(), version = ownVersion(), maxCalls = 100 } = options
    const { lease, resumeWindow } = options
    this.#options = options
    this.#journal = journal
    this.#logger = logger
    this.#scope = new Scope<string>('host', { closeTimeout: 5_000 })
    this.#member = new FleetMember({
      scope: this.#scope,
      journal,
      host: { name, version, capacity: maxCalls },
      newId: newKey,
      ...(lease === undefined ? {} : { lease }),
      // Only this host can open the journal, so all others in it are dead.
      ...(options.databaseUrl === undefined ? { grace: 0 } : {}),
      joined: (id) => this.#joined(id),
      drained: () => this.drain(),
      ...(resumeWindow === undefined ? {} : { resumeWindow }),
      ordered: (orders) => {
        for (const order of orders) this.#pass(order).catch(noop)
      },
      letGo: () => this.#supervisor?.setHost(''),
      hangUp: (call) => this.#hangUp(call),
      adopted: (calls) => this.#metrics.adopted(calls.length),
      closed: (report, { line }) => {
        this.#metrics.closed(report, { line })
        this.#supervisor?.wake()
        logger.warn({ call: report.id, reason: report.reason }, 'a call lost its process')
      },
      logger,
    })
  }

  static async start(agentFile: string, options: ServeOptions, journal: Journal): Promise<ProductionHost> {
    const host = new ProductionHost(options, journal)
    try {
      await host.#importSpools()
      await host.#member.start()
      await host.#supervise(agentFile)
    } catch (error) {
      await host.#member.leave()
      await host.#scope.close()
      throw error
    }
    return host
  }

  get id(): string {
    return this.#member.id
  }

  get url(): string {
    const { host = '127.0.0.1' } = this.#options
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
    return `http://${name}:${this.#supervisor?.port ?? 0}`
  }

  get workers(): readonly WorkerView[] {
    return this.#supervisor?.workers ?? []
  }

  get ended(): Promise<number> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<number> {
    const code = await this.#supervisor!.ended
    this.#forget()
    await this.#scope.close()
    await this.#journal.close().catch(noop)
    return code
  }

  signal(): void {
    this.#stopTaking()
    this.#supervisor?.signal()
  }

  drain(): void {
    this.#stopTaking()
    this.#supervisor?.drain()
  }

  /** Tells the other hosts, and the metrics. */
  #stopTaking(): void {
    if (this.#draining) return
    this.#draining = true
    this.#logger.info({}, 'draining: no more calls are taken, and those under way may finish')
    this.#metrics.draining(true)
    this.#journal.drain(this.#member.id).catch(noop)
  }

  #joined(id: string): void {
    this.#ids.add(id)
    this.#supervisor?.setHost(id)
    // The journal knows a host by its id, and this one is new.
    if (this.#draining) this.#journal.drain(id).catch(noop)
  }

  async #supervise(agentFile: string): Promise<void> {
    const {
      port = 4_600,
      host = '127.0.0.1',
      workers = 1,
      memoryLimit,
      drainTimeout,
      closeTimeout,
    } = this.#options
    const env = { ...process.env, ...settingsInEnv(workerSettings(agentFile, this.#options)) }
    const supervisor = await Supervisor.start({
      calls: { entry: entry('call-worker'), env },
      work: { entry: entry('work-worker'), env },
      workers,
      listen: { port, host },
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
      ...(drainTimeout === undefined ? {} : { drainTimeout }),
      ...(closeTimeout === undefined ? {} : { closeTimeout }),
      journal: {
        orphan: (worker, role) =>
          role === 'work' ? this.#journal.release(workOwner(this.#member.id, worker)) : this.#orphan(worker),
        leave: () => this.#member.leave(),
      },
      request: (_worker, body) => this.#answer(body ?? {}),
      listener: {
        exited: (worker) => {
          this.#workerMetrics.remove(worker)
          this.#supervisor?.wake()
        },
        replaced: (worker, role, why) => {
          this.#metrics.workerRestarted(restartCauses[why])
          this.#logger.warn({ worker, role, why }, 'a worker is replaced')
        },
        paused: (role, pause, deaths) =>
          this.#logger.error({ role, pause, deaths }, 'workers die young: the next one has to wait'),
        blocked: (worker, block) => this.#blocked(worker, block),
        misbehaved: (worker) =>
          this.#logger.warn({ worker }, 'a worker sent something that is not a message'),
        readiness: (ready) => this.#logger.info({ ready }, ready ? 'ready' : 'not ready'),
      },
    })
    this.#supervisor = supervisor
    this.#forget =
      this.#journal.onWake?.((what, id = this.#member.id) => {
        if (what === 'work') supervisor.wake()
        else if (id === this.#member.id) this.#member.wake()
      }) ?? noop
    this.#scope.every(
      IMPORT_EVERY,
      'import what dead processes left',
      () => void this.#importSpools().catch(noop),
    )
    this.#scope.every(PRUNE_EVERY, 'delete old calls', () => void this.#prune().catch(noop))
  }

  /** A worker is gone. What it had to write elsewhere belongs to its calls. */
  async #orphan(worker: string): Promise<number> {
    await this.#importSpools()
    return await this.#member.orphan(worker, this.#culprits.get(worker))
  }

  /** Moves what processes of this machine that are gone had to write elsewhere into the journal. One at a time. */
  #importSpools(): Promise<void> {
    this.#importing = this.#importing.catch(noop).then(() => this.#importNow())
    return this.#importing
  }

  async #importNow(): Promise<void> {
    const { data = './endwell-data', databaseUrl } = this.#options
    // Another host can only share the folder if the journal is elsewhere.
    const hosts = databaseUrl === undefined ? [] : await this.#journal.hosts()
    const alive = new Set(hosts.filter(({ expired }) => !expired).map(({ id }) => id))
    const count = await importSpools(spoolOf(data), this.#journal, (host, worker) =>
      this.#ids.has(host)
        ? this.workers.some(({ name, pid }) => name === worker && pid !== undefined)
        : alive.has(host),
    )
    if (count > 0)
      this.#logger.info({ count }, 'the journal has what earlier processes had to write elsewhere')
  }

  /** Does what a worker asks for. A worker runs code of the agent, so the request may be anything. */
  async #answer(request: Partial<WorkerRequest>): Promise<unknown> {
    if (request.type === 'identity') return { host: this.#member.id }
    if (request.type === 'metrics') return await this.#gather()
    if (request.type === 'drain') return this.drain()
    const body = request.type === 'journal' ? request.request : undefined
    const answer = await answerRequest(this.#journal, body)
    if ((body as Partial<JournalRequest> | undefined)?.method === 'take') return this.#withCulprit(answer)
    if (hasWrite(body, 'close')) this.#supervisor?.wake()
    if (hasWrite(body, 'close') || hasWrite(body, 'open')) this.#callsChanged()
    return answer
  }

  /** Tells the workers that calls have begun or ended, at most twice a second. */
  #callsChanged(): void {
    if (this.#toldSoon || this.#scope.state !== 'live') return
    this.#toldSoon = true
    this.#scope.after(CHANGES_EVERY, 'tell workers about calls', () => {
      this.#toldSoon = false
      this.#supervisor?.callsChanged()
    })
  }

  /** A call that goes on in another worker says in its report what happened to the first. */
  #withCulprit(answer: JournalAnswer): JournalAnswer {
    const lost = 'value' in answer ? (answer.value as LostCall | undefined) : undefined
    const culprit = lost && this.#member.culpritOf(lost.id)
    return culprit === undefined ? answer : { value: { ...lost, culprit } }
  }

  async #gather(): Promise<{ readonly type: string; readonly body: string }> {
    for (const [worker, snapshot] of (await this.#supervisor?.metrics()) ?? [])
      if (snapshot) this.#workerMetrics.update(worker, snapshot as MetricsSnapshot)
    this.#metrics.work(await this.#journal.workCounts())
    const body = await mergeMetrics([...this.#workerMetrics.snapshots, await this.#metrics.snapshot()])
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body }
  }

  #blocked(worker: string, { ms, how, culprit }: Block): void {
    const where = culprit ? `${culprit.function} (${culprit.file}:${culprit.line})` : 'unknown code'
    this.#culprits.set(worker, `the event loop of its process was blocked by ${where}`)
    this.#logger.error({ worker, ms, how, culprit: where }, 'an event loop is blocked')
    this.#metrics.loopBlocked(how === 'stuck' ? 'killed' : how)
  }

  /** Passes an order on to the worker that serves the call. */
  async #pass(order: {
    readonly call: string
    readonly order: 'close' | 'interrupt' | 'drain'
  }): Promise<void> {
    const owner = (await this.#journal.find(order.call))?.owner
    if (owner?.host === this.#member.id) this.#supervisor?.order(owner.worker, order)
  }

  async #hangUp({ id, line, resume }: LostCall): Promise<void> {
    const { phone } = this.#options
    if (line !== 'phone' || !phone) return
    const { clock } = this.#scope
    const hungUp = await hangUpCall({
      ...phone,
      clock,
      call: id,
      account: resume?.account ?? phone.accountSid,
    })
    this.#logger.info({ call: id, hungUp }, 'a call that lost its process was hung up at the carrier')
  }

  async #prune(): Promise<void> {
    const { retention = 30 * DAY } = this.#options
    const before = this.#scope.clock.date() - retention
    while ((await this.#journal.prune(before, PRUNE_AT_ONCE)) === PRUNE_AT_ONCE);
  }
}

function workerSettings(agentFile: string, options: ServeOptions): WorkerSettings {
  const { data = './endwell-data', workers = 1, maxCalls = 100, closeTimeout = 5_000 } = options
  const { lease = 15_000 } = options
  const { privateHost = '127.0.0.1', whileAway = 'spool', logLevel = 'info', names = [], publicUrl } = options
  const { page, secret, phone, goodbye, welcomeBack, version = ownVersion() } = options
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new OptionError(`publicUrl must be a URL, such as https://phone.example.com; it is '${publicUrl}'`)
  return {
    agentFile,
    spool: spoolOf(data),
    maxCalls: Math.max(1, Math.floor(maxCalls / workers)),
    closeTimeout,
    // Longer than the host's: its work is adopted after its calls, and a busy journal must not lose it.
    workLease: 2 * lease,
    privateHost,
    ticketKey: secret === undefined ? newKey() : sign('endwell tickets', secret),
    whileAway,
    info: { version },
    names: [...names, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
    logLevel,
    ...(page === undefined ? {} : { page }),
    ...(secret === undefined ? {} : { secret }),
    phone: { ...phone, ...(publicUrl === undefined ? {} : { publicUrl }) },
    ...(goodbye === undefined ? {} : { goodbye }),
    ...(welcomeBack === undefined ? {} : { welcomeBack }),
  }
}

function spoolOf(data: string): string {
  return join(data, 'spool')
}

/** Whether a request to the journal has a write of this type. */
function hasWrite(request: unknown, type: 'open' | 'close'): boolean {
  const { method, args } = (request ?? {}) as { readonly method?: string; readonly args?: readonly unknown[] }
  const [batch] = args ?? []
  return (
    method === 'write' &&
    Array.isArray(batch) &&
    batch.some((write: { type?: string }) => write?.type === type)
  )
}
