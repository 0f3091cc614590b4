import { MachineShell, noop, systemClock, type Clock, type Timer } from '../../scope/index.ts'
import type { Order } from '../journal/journal.ts'
import { limits } from './limits.ts'
import type { AnswerError, Block, SupervisorMessage, WatchdogMessage, WorkerMessage } from './messages.ts'
import { PublicPort } from './public-port.ts'
import type {
  ReplaceReason,
  SupervisorCommand,
  SupervisorEvent,
  SupervisorTimer,
  WorkerRole,
} from './supervisor-events.ts'
import { SupervisorMachine } from './supervisor-machine.ts'
import { WorkerProcess, type WorkerProgram } from './worker-process.ts'

/** What the supervisor needs of the journal. */
export interface SupervisorJournal {
  /** Takes its live calls, or its claimed work, from a worker that is gone. Resolves to their number. Repeated if it fails. */
  orphan(worker: string, role: WorkerRole): Promise<number>
  /** The host ends. */
  leave(): Promise<void>
}

/** What happens to the workers, for logs and metrics. A listener must not throw. */
export interface SupervisorListener {
  started?(worker: string, role: WorkerRole, pid: number | undefined): void
  ready?(worker: string, address: string | undefined): void
  exited?(worker: string, code: number | null, signal: NodeJS.Signals | null): void
  replaced?(worker: string, role: WorkerRole, why: ReplaceReason): void
  /** Replacements wait, because workers die young. */
  paused?(role: WorkerRole, pause: number, deaths: number): void
  /** An event loop was blocked. */
  blocked?(worker: string, block: Block): void
  /** A worker sent something that is not a message. It is ignored. */
  misbehaved?(worker: string): void
  /** Whether new calls can be taken has changed. */
  readiness?(ready: boolean): void
  /** A worker printed a line. */
  line?(worker: string, stream: 'stdout' | 'stderr', line: string): void
}

export interface SupervisorOptions {
  /** What a call worker runs. */
  readonly calls: WorkerProgram
  /** What the work worker runs. Without it, there is none. */
  readonly work?: WorkerProgram
  /** Call workers. Default: 1. */
  readonly workers?: number
  /** The public port, whose connections the call workers get. Without it, there is none. */
  readonly listen?: { readonly port: number; readonly host: string }
  /** In MB. A worker above it is drained and replaced. Default: none. */
  readonly memoryLimit?: number
  /** For calls to finish before they are closed. Default: 10 minutes. */
  readonly drainTimeout?: number
  /** For calls to close. Default: 5 s. */
  readonly closeTimeout?: number
  readonly journal: SupervisorJournal
  /** Does what workers request with `WorkerLink.request`. */
  readonly request?: (worker: string, body: unknown) => unknown
  readonly listener?: SupervisorListener
  readonly clock?: Clock
}

/** A worker, as others see it. */
export interface WorkerView {
  readonly name: string
  readonly role: WorkerRole
  readonly phase: string
  readonly calls: number
  readonly pid: number | undefined
  readonly address: string | undefined
}

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
  readonly #workers = new Map<string, Worker>()
  readonly #timers = new Set<Timer>()
  #port: PublicPort | undefined
  #lastId = 0
  #end: (code: number) => void = () => {}
  #ending = false

  private constructor(options: SupervisorOptions) {
    const { workers = 1, work, drainTimeout = 600_000, closeTimeout = 5_000, clock = systemClock } = options
    this.#options = options
    this.#clock = clock
    this.#closeTimeout = closeTimeout
    this.#machine = new SupervisorMachine({ workers, work: work !== undefined, drainTimeout, closeTimeout })
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
      case 'readiness':
        this.#port?.offer()
        return listener?.readiness?.(command.ready)
      case 'exit':
        return this.#exit(command.code)
    }
  }

  #spawn(name: string, role: WorkerRole): void {
    const { calls, work, memoryLimit, listener } = this.#options
    const workerProcess = new WorkerProcess({
      identity: { name, role, closeTimeout: this.#closeTimeout },
      program: role === 'work' && work ? work : calls,
      memoryLimit,
      events: {
        message: (message) => this.#message(worker, message),
        watchdog: (message) => this.#watchdog(worker, message),
        misbehaved: () => listener?.misbehaved?.(name),
        line: (stream, line) => this.#line(name, stream, line),
        exited: (code, signal) => {
          listener?.exited?.(name, code, signal)
          this.#shell.handle({ type: 'exited', worker: name })
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
        () => this.#after(ORPHAN_RETRY, 'orphan again', attempt),
      )
    }
    attempt()
  }

  #exit(code: number): void {
    this.#ending = true
    this.#shell.stop()
    for (const timer of this.#timers) timer.clear()
    this.#port?.close()
    const timer = this.#clock.after(this.#closeTimeout, 'leave the journal', () => this.#end(code))
    const left = (): void => {
      timer.clear()
      this.#end(code)
    }
    this.#options.journal.leave().then(left, left)
  }

  // ── what workers do ──

  #message(worker: Worker, message: WorkerMessage): void {
    const { name } = worker
    switch (message.type) {
      case 'ready':
        worker.address = message.address
        this.#shell.handle({ type: 'ready', worker: name })
        this.#port?.offer()
        return this.#options.listener?.ready?.(name, message.address)
      case 'taken':
        return worker.process.taken()
      case 'calls':
        return this.#shell.handle({ type: 'calls', worker: name, count: message.count })
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
      (error: unknown) => answer({ error: describe(error) }),
    )
    return undefined
  }

  async #askMetrics({
    process: workerProcess,
    asked,
  }: Worker): Promise<{ readonly body: unknown } | undefined> {
    const id = ++this.#lastId
    const answer = await new Promise<{ readonly body: unknown } | undefined>((resolve) => {
      const timer = this.#after(limits.metrics, 'metrics', () => resolve(undefined))
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

  /** A worker that drains gets connections only if the whole host drains: it answers that no calls are taken. */
  #takers(): readonly WorkerProcess[] | 'wait' {
    const running = this.#machine.phase === 'running'
    const takers = this.#machine.workers.flatMap(({ name, role, phase }) => {
      const takes = role === 'calls' && (phase === 'ready' || (phase === 'draining' && !running))
      const worker = takes ? this.#workers.get(name) : undefined
      return worker ? [worker.process] : []
    })
    return takers.length === 0 && running ? 'wait' : takers
  }

  /** Looks for workers whose watchdog is silent. */
  #look(before: number): void {
    const now = this.#clock.now()
    for (const { name, process: workerProcess } of this.#workers.values()) {
      if (!workerProcess.isSilent(now - before)) continue
      this.#options.listener?.blocked?.(name, { ms: limits.silent, how: 'stuck', stack: '' })
      this.#shell.handle({ type: 'blocked', worker: name, how: 'stuck' })
    }
    this.#after(limits.silentLook, 'look for silent workers', () => this.#look(now))
  }

  /** A timer that ends with the supervisor. */
  #after(ms: number, name: string, callback: () => void): Timer {
    if (this.#ending) return { clear: noop }
    const timer = this.#clock.after(ms, name, () => {
      this.#timers.delete(timer)
      callback()
    })
    this.#timers.add(timer)
    return {
      clear: () => {
        this.#timers.delete(timer)
        timer.clear()
      },
    }
  }
}

function describe(error: unknown): AnswerError {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, code } = error as Error & { code?: unknown }
  return typeof code === 'string' ? { message, code } : { message }
}
