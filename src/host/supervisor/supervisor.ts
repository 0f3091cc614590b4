import type { Socket } from 'node:net'
import { MachineShell, noop, systemClock, type Clock } from '../../scope/index.ts'
import type { Order } from '../journal/journal.ts'
import { answerErrorOf } from './errors.ts'
import { limits } from './limits.ts'
import type {
  AnswerError,
  PassedRequest,
  PlainMessage,
  SupervisorMessage,
  WatchdogMessage,
} from './messages.ts'
import { OwnTimers } from './own-timers.ts'
import { PublicPort } from './public-port.ts'
import { Rooms } from './rooms.ts'
import type {
  SupervisorCommand,
  SupervisorEvent,
  SupervisorTimer,
  WorkerPhase,
  WorkerRole,
} from './supervisor-events.ts'
import { SupervisorMachine } from './supervisor-machine.ts'
import type { SupervisorOptions, WorkerView } from './supervisor-options.ts'
import { WorkerProcess, type WorkerProgram } from './worker-process.ts'

interface Worker {
  readonly name: string
  readonly process: WorkerProcess
  readonly role: WorkerRole
  address: string | undefined
  requests: number
  /** Requests for metrics that were not answered yet, by id. */
  readonly asked: Map<number, (answer: { readonly body: unknown } | undefined) => void>
}

const MEGABYTE = 2 ** 20
/** Milliseconds between two attempts to write to the journal that a worker is gone. */
const ORPHAN_RETRY = 1_000

/**
 * Starts workers, replaces those that die or misbehave, hands them connections, and ends them all in good order. It runs no
 * code of the agent, so that nothing the agent does can stop it (HO24). `SupervisorMachine` decides; this class carries out.
 *
 *   SIGTERM ─▶ signal() ─┐                       ┌─▶ WorkerProcess: fork, drain, close, kill
 *   workers' messages ───┼─▶ SupervisorMachine ──┼─▶ journal: orphan, leave
 *   watchdogs' lines ────┘                       └─▶ ended
 */
export class Supervisor {
  /** Resolves to the exit code when all workers have ended. */
  readonly ended: Promise<number>
  readonly #options: SupervisorOptions
  readonly #clock: Clock
  readonly #closeTimeout: number
  readonly #machine: SupervisorMachine
  readonly #shell: MachineShell<SupervisorEvent, SupervisorCommand>
  /** Finds workers with room for a call that another has no room for. */
  readonly rooms: Rooms
  readonly #workers = new Map<string, Worker>()
  readonly #timers: OwnTimers
  /** What call workers run that are started from now on. */
  #calls: WorkerProgram
  #port: PublicPort | undefined
  #lastId = 0
  #end: (code: number) => void = () => {}

  private constructor(options: SupervisorOptions) {
    const { workers = 1, work, isolated, callsPerWorker = Infinity } = options
    const { drainTimeout = 600_000, closeTimeout = 5_000, clock = systemClock } = options
    this.#options = options
    this.#calls = options.calls
    this.#clock = clock
    this.#timers = new OwnTimers(clock)
    this.#closeTimeout = closeTimeout
    const settings = { workers, isolated, work: work !== undefined, drainTimeout, closeTimeout }
    this.#machine = new SupervisorMachine(settings)
    this.rooms = new Rooms({
      clock,
      capacity: callsPerWorker,
      ready: () => this.#callWorkers('ready'),
      grows: () => this.#machine.grows,
      waiting: (count) => this.#shell.handle({ type: 'waiting', count }),
    })
    this.#shell = new MachineShell<SupervisorEvent, SupervisorCommand>(
      this.#machine,
      { clock, after: (ms, name, callback) => clock.after(ms, name, callback) },
      { name: 'supervisor', carryOut: (command) => this.#carryOut(command) },
    )
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Listens, and starts the workers. Rejects with `ListenError` if the port is taken. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options)
    if (options.listen) supervisor.#port = await PublicPort.open(options.listen, () => supervisor.#takers())
    supervisor.#shell.handle({ type: 'start' })
    supervisor.#look(supervisor.#clock.now())
    return supervisor
  }

  /** The public port that it listens on. */
  get port(): number | undefined {
    return this.#port?.port
  }

  /** Whether new calls can be taken. */
  get ready(): boolean {
    return this.#machine.ready
  }

  get workers(): readonly WorkerView[] {
    return this.#machine.workers.map(({ name, role, phase, calls }) => {
      const worker = this.#workers.get(name)
      return { name, role, phase, calls, pid: worker?.process.pid, address: worker?.address }
    })
  }

  /** SIGTERM or SIGINT came. The first drains, the second closes all calls now, the third kills. */
  signal(): void {
    this.#shell.handle({ type: 'signal' })
  }

  /** Drains, as the first signal does. Repeating it changes nothing. */
  drain(): void {
    this.#shell.handle({ type: 'drain' })
  }

  /** Starts call workers with another program. Once one is ready, it gets all new calls, and the others drain (RL1). */
  reload(program: WorkerProgram): void {
    this.#calls = program
    this.#shell.handle({ type: 'reload' })
  }

  /** Has call workers abort their calls. */
  abort(): void {
    this.#tell('calls', { type: 'abort' })
  }

  /** Passes an order on to the worker that has the call. False if the worker is gone. */
  order(worker: string, order: Order): boolean {
    const found = this.#workers.get(worker)
    found?.process.send({ type: 'order', call: order.call, order: order.order })
    return found !== undefined
  }

  /** The host has a new id, because its lease was over: its workers let go of their calls. */
  setHost(id: string): void {
    this.#tell('calls', { type: 'host', id })
  }

  /** Work may be due. */
  wake(): void {
    this.#tell('work', { type: 'wake' })
  }

  /** Calls have begun or ended: the workers show them in their pages. */
  callsChanged(): void {
    this.#tell('calls', { type: 'wake' })
  }

  #tell(role: WorkerRole, message: SupervisorMessage): void {
    for (const worker of this.#workers.values()) if (worker.role === role) worker.process.send(message)
  }

  /** The metrics of all workers, by name. A worker that does not answer in time is left out. */
  async metrics(): Promise<ReadonlyMap<string, unknown>> {
    const answers = new Map<string, unknown>()
    await Promise.all(
      [...this.#workers.values()].map(async (worker) => {
        const answer = await this.#askMetrics(worker)
        if (answer) answers.set(worker.name, answer.body)
      }),
    )
    return answers
  }

  // ── commands ──

  #carryOut(command: Exclude<SupervisorCommand, { readonly timer: SupervisorTimer }>): void {
    const { listener } = this.#options
    switch (command.type) {
      case 'spawn':
        return this.#spawn(command.worker, command.role)
      case 'drain':
        return this.#workers.get(command.worker)?.process.send({ type: 'drain', within: command.within })
      case 'close':
        return this.#workers.get(command.worker)?.process.send({ type: 'close', within: command.within })
      case 'kill':
        return this.#workers.get(command.worker)?.process.kill()
      case 'orphan':
        return this.#orphan(command.worker, command.role)
      case 'replace':
        return listener?.replaced?.(command.worker, command.role, command.why)
      case 'pause':
        return listener?.paused?.(command.role, command.pause, command.deaths)
      case 'not-loaded':
        return listener?.notLoaded?.(command.worker)
      case 'readiness':
        this.#port?.offer()
        this.rooms.look()
        return listener?.readiness?.(command.ready)
      case 'exit':
        return this.#exit(command.code)
    }
  }

  #spawn(name: string, role: WorkerRole): void {
    const { work, memoryLimit, listener } = this.#options
    const workerProcess = new WorkerProcess({
      identity: { name, role, closeTimeout: this.#closeTimeout },
      program: role === 'work' && work ? work : this.#calls,
      memoryLimit,
      events: {
        message: (message) => this.#message(worker, message),
        passed: (request, socket) => this.#pass(name, request, socket),
        watchdog: (message) => this.#watchdog(worker, message),
        misbehaved: () => listener?.misbehaved?.(name),
        line: (stream, line) => this.#line(name, stream, line),
        exited: (code, signal) => {
          listener?.exited?.(name, code, signal)
          this.#shell.handle({ type: 'exited', worker: name })
          this.rooms.forget(name)
          // Connections that it did not take any more.
          this.#port?.offer()
        },
      },
    })
    const worker: Worker = {
      name,
      role,
      process: workerProcess,
      address: undefined,
      requests: 0,
      asked: new Map(),
    }
    this.#workers.set(name, worker)
    listener?.started?.(name, role, workerProcess.pid)
  }

  /** Repeated until the journal has it: nobody else looks after the calls of a host that lives. */
  #orphan(name: string, role: WorkerRole): void {
    for (const gaveUp of this.#workers.get(name)?.asked.values() ?? []) gaveUp(undefined)
    this.#workers.delete(name)
    const attempt = (): void => {
      this.#options.journal.orphan(name, role).then(
        (lost) => this.#shell.handle({ type: 'orphaned', worker: name, lost }),
        () => this.#timers.after(ORPHAN_RETRY, 'orphan again', attempt),
      )
    }
    attempt()
  }

  #exit(code: number): void {
    this.#timers.end()
    this.#shell.stop()
    this.#port?.close()
    this.rooms.close()
    const timer = this.#clock.after(this.#closeTimeout, 'leave the journal', () => this.#end(code))
    const left = (): void => {
      timer.clear()
      this.#end(code)
    }
    this.#options.journal.leave().then(left, left)
  }

  // ── what workers do ──

  #message(worker: Worker, message: PlainMessage): void {
    const { name } = worker
    switch (message.type) {
      case 'ready':
        worker.address = message.address
        this.#shell.handle({ type: 'ready', worker: name })
        this.#port?.offer()
        this.rooms.look()
        return this.#options.listener?.ready?.(name, message.address)
      case 'taken':
        return worker.process.taken()
      case 'calls':
        this.#shell.handle({ type: 'calls', worker: name, count: message.count })
        return this.#workers.has(name) ? this.rooms.counted(name, message.count) : undefined
      case 'drained':
        return this.#shell.handle({ ...message, worker: name })
      case 'request':
        return this.#request(worker, message.id, message.body)
      case 'metrics':
        return worker.asked.get(message.id)?.(message)
    }
  }

  #watchdog(worker: Worker, message: WatchdogMessage): void {
    const { name } = worker
    const { memoryLimit, listener } = this.#options
    if (message.type === 'beat') {
      if (memoryLimit !== undefined && message.rss > memoryLimit * MEGABYTE)
        this.#shell.handle({ type: 'over-memory', worker: name })
      return
    }
    const { type, ...block } = message
    listener?.blocked?.(name, block)
    if (block.how !== 'named') this.#shell.handle({ type, worker: name, how: block.how })
  }

  #request(worker: Worker, id: number, body: unknown): void {
    const answer = (content: { body?: unknown; error?: AnswerError }): void => {
      worker.requests--
      worker.process.send({ type: 'answer', id, ...content })
    }
    if (++worker.requests > limits.requests)
      return answer({
        error: { code: 'LIMIT', message: `more than ${limits.requests} requests wait for an answer` },
      })
    new Promise((resolve) => {
      resolve(this.#options.request?.(worker.name, body))
    }).then(
      (result) => answer({ body: result }),
      (error: unknown) => answer({ error: answerErrorOf(error) }),
    )
    return undefined
  }

  async #askMetrics({
    process: workerProcess,
    asked,
  }: Worker): Promise<{ readonly body: unknown } | undefined> {
    const id = ++this.#lastId
    const answer = await new Promise<{ readonly body: unknown } | undefined>((resolve) => {
      const timer = this.#timers.after(limits.metrics, 'metrics', () => resolve(undefined))
      asked.set(id, (answered) => {
        timer.clear()
        resolve(answered)
      })
      workerProcess.send({ type: 'metrics', id })
    })
    asked.delete(id)
    return answer
  }

  #line(name: string, stream: 'stdout' | 'stderr', line: string): void {
    const { listener } = this.#options
    if (listener?.line) listener.line(name, stream, line)
    else (stream === 'stdout' ? process.stdout : process.stderr).write(`${line}\n`)
  }

  // ── connections and time ──

  /**
   * Workers with room come first, the others serve the page and the API. A worker that drains gets connections only if the
   * whole host drains: it answers that no calls are taken.
   */
  #takers(): readonly WorkerProcess[] | 'wait' {
    const running = this.#machine.phase === 'running'
    const names = running ? this.#callWorkers('ready') : this.#callWorkers('ready', 'draining')
    const withRoom = names.filter((name) => this.rooms.hasRoom(name))
    const takers = (withRoom.length > 0 ? withRoom : names).map((name) => this.#workers.get(name)!.process)
    return takers.length === 0 && running ? 'wait' : takers
  }

  #callWorkers(...phases: readonly WorkerPhase[]): string[] {
    return this.#machine.workers
      .filter(
        ({ name, role, phase }) => role === 'calls' && phases.includes(phase) && this.#workers.has(name),
      )
      .map(({ name }) => name)
  }

  /** A worker has no room for the call of this connection. Another gets it; if there is none, that worker refuses the call. */
  #pass(asker: string, request: PassedRequest, socket: Socket): void {
    const { head, hops } = request
    socket.on('error', noop)
    this.rooms.find(asker, (found) => {
      const worker = this.#workers.get(found ?? asker)
      const passed = { head, hops: found === undefined ? limits.hops : hops + 1 }
      if (!worker || socket.destroyed || hops > limits.hops) return socket.destroy()
      return worker.process.pass(socket, passed, () =>
        this.#pass(worker.name, { head, hops: hops + 1 }, socket),
      )
    })
  }

  /** Looks for workers whose watchdog is silent. */
  #look(before: number): void {
    const now = this.#clock.now()
    for (const { name, process: workerProcess } of this.#workers.values()) {
      if (!workerProcess.isSilent(now - before)) continue
      this.#options.listener?.blocked?.(name, { ms: limits.silent, how: 'stuck', stack: '' })
      this.#shell.handle({ type: 'blocked', worker: name, how: 'stuck' })
    }
    this.rooms.look()
    this.#timers.after(limits.silentLook, 'look for silent workers', () => this.#look(now))
  }
}
