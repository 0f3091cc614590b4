import { hostname } from 'node:os'
import { newKey } from '../../lines/index.ts'
import { hangUpCall } from '../../lines/twilio/index.ts'
import { silentLogger, type Logger } from '../../parts/index.ts'
import { Scope, noop } from '../../scope/index.ts'
import { FleetMember } from '../fleet/fleet-member.ts'
import type { Journal, LostCall } from '../journal/index.ts'
import { answerRequest, type JournalAnswer, type JournalRequest } from '../journal/remote-journal.ts'
import { Recordings } from '../recordings.ts'
import { importSpools } from '../reception/spool.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import type { WorkerView } from '../supervisor/supervisor-options.ts'
import type { WorkerProgram } from '../supervisor/worker-process.ts'
import type { Block } from '../supervisor/messages.ts'
import type { ReplaceReason } from '../supervisor/supervisor-events.ts'
import { WorkerMetrics, mergeMetrics, type MetricsSnapshot } from '../watch/merge-metrics.ts'
import type { RestartWhy } from '../watch/metric-table.ts'
import { Metrics } from '../watch/metrics.ts'
import { startPrograms, type HostPrograms } from './host-programs.ts'
import { callsPerWorker, spoolOf, workerSettings, type ServeOptions } from './serve-options.ts'
import { ownVersion } from './version.ts'
import { settingsInEnv, workOwner, type WorkerRequest } from './worker-settings.ts'

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

/** Puts the parts of a host together: the journal, its place in the fleet, and the supervisor of its workers. */
export class ProductionHost implements Running {
  readonly #agentFile: string
  readonly #options: ServeOptions
  readonly #programs: HostPrograms
  /** Signs what one worker gives out for another, also for one of another program. */
  readonly #ticketKey: string
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

  private constructor(agentFile: string, options: ServeOptions, journal: Journal, programs: HostPrograms) {
    const { logger = silentLogger, name = hostname(), version = ownVersion(), maxCalls = 100 } = options
    const { lease, resumeWindow } = options
    this.#agentFile = agentFile
    this.#options = options
    this.#programs = programs
    this.#ticketKey = workerSettings(agentFile, options).ticketKey
    this.#journal = journal
    this.#logger = logger
    this.#scope = new Scope<string>('host', { closeTimeout: 5_000 })
    this.#member = new FleetMember({
      scope: this.#scope,
      journal,
      host: { name, version, capacity: maxCalls },
      newId: newKey,
      ...(lease === undefined ? {} : { lease }),
      // Only one host can open a journal in SQLite.
      isAlone: options.databaseUrl === undefined,
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

  static async start(
    agentFile: string,
    options: ServeOptions,
    journal: Journal,
    programs: HostPrograms = startPrograms,
  ): Promise<ProductionHost> {
    const host = new ProductionHost(agentFile, options, journal, programs)
    try {
      await host.#importSpools()
      await host.#member.start()
      await host.#supervise()
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

  /** New calls get workers with this program and these options, as soon as one is ready (RL1). */
  reload(calls: HostPrograms['calls'], options: ServeOptions): void {
    this.#supervisor?.reload(this.#callProgram(calls, options))
  }

  /** Aborts all calls. Their reports are written, if that takes no time. */
  abort(): void {
    this.#supervisor?.abort()
  }

  #callProgram(calls: HostPrograms['calls'], options: ServeOptions): WorkerProgram {
    const settings = { ...workerSettings(this.#agentFile, options), ticketKey: this.#ticketKey }
    return { ...calls, env: { ...(calls.env ?? process.env), ...settingsInEnv(settings) } }
  }

  async #supervise(): Promise<void> {
    const {
      port = 4_600,
      host = '127.0.0.1',
      workers = 1,
      isolation,
      maxCalls = 100,
      memoryLimit,
      drainTimeout,
      closeTimeout,
    } = this.#options
    const { calls, work, listener } = this.#programs
    const program = this.#callProgram(calls, this.#options)
    const supervisor = await Supervisor.start({
      calls: program,
      ...(work ? { work: { ...program, ...work } } : {}),
      workers,
      callsPerWorker: callsPerWorker(this.#options),
      ...(isolation === 'process' ? { isolated: { maxCalls } } : {}),
      listen: { port, host },
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
      ...(drainTimeout === undefined ? {} : { drainTimeout }),
      ...(closeTimeout === undefined ? {} : { closeTimeout }),
      journal: {
        orphan: (worker, role) =>
          role === 'work' ? this.#journal.release(workOwner(this.#member.id, worker)) : this.#orphan(worker),
        leave: () => this.#member.leave(),
      },
      request: (worker, body) => this.#answer(worker, body ?? {}),
      listener: {
        ...listener,
        exited: (worker, code, signal) => {
          this.#workerMetrics.remove(worker)
          this.#supervisor?.wake()
          listener?.exited?.(worker, code, signal)
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
    const lost = await this.#member.orphan(worker, this.#culprits.get(worker))
    this.#culprits.delete(worker)
    return lost
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
  async #answer(worker: string, request: Partial<WorkerRequest>): Promise<unknown> {
    if (request.type === 'identity') return { host: this.#member.id }
    if (request.type === 'metrics') return await this.#gather()
    if (request.type === 'drain') return this.drain()
    if (request.type === 'room') return this.#supervisor?.rooms.hasRoomBeside(worker) === true
    if (request.type === 'address') {
      const of = request.of ?? (await this.#supervisor?.rooms.place(worker))
      return this.workers.find(({ name }) => name === of)?.address
    }
    if (request.type === 'last-metrics') return this.#updateMetrics(worker, request.snapshot)
    const own = request.type === 'journal' ? undefined : this.#programs.answer?.(worker, request)
    if (own !== undefined) return own
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
      this.#updateMetrics(worker, snapshot)
    this.#metrics.work(await this.#journal.workCounts())
    const body = await mergeMetrics([...this.#workerMetrics.snapshots, await this.#metrics.snapshot()])
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body }
  }

  /** Without an answer, the last metrics of a worker stay. */
  #updateMetrics(worker: string, snapshot: unknown): void {
    if (Array.isArray(snapshot)) this.#workerMetrics.update(worker, snapshot as MetricsSnapshot)
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
    const { retention = 30 * DAY, recordings } = this.#options
    const before = this.#scope.clock.date() - retention
    if (recordings !== undefined) await new Recordings(recordings).prune(before)
    while ((await this.#journal.prune(before, PRUNE_AT_ONCE)) === PRUNE_AT_ONCE);
  }
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
