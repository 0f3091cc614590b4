import { fork, type ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { eachLine } from './lines.ts'
import {
  IDENTITY,
  WATCHDOG_FD,
  readMessage,
  readWatchdogLine,
  type PassedRequest,
  type PlainMessage,
  type SupervisorMessage,
  type WatchdogMessage,
  type WorkerIdentity,
} from './messages.ts'
import { processState } from './process-state.ts'
import { Silence } from './silence.ts'

/** What to run in a worker process. */
export interface WorkerProgram {
  /** The path of its main file. */
  readonly entry: string
  readonly args?: readonly string[]
  /** The whole environment. Default: the supervisor's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Options of Node. Default: the supervisor's. */
  readonly execArgv?: readonly string[]
}

/** What a worker process reports to its supervisor. */
export interface WorkerProcessEvents {
  message(message: PlainMessage): void
  /** The process has no room for the call of this connection. */
  passed(request: PassedRequest, socket: Socket): void
  watchdog(message: WatchdogMessage): void
  /** The process sent something that is not a message. */
  misbehaved(): void
  line(stream: 'stdout' | 'stderr', line: string): void
  /** Called once. Without a process there is neither a code nor a signal: it could not be started. */
  exited(code: number | null, signal: NodeJS.Signals | null): void
}

export interface WorkerProcessOptions {
  readonly identity: WorkerIdentity
  readonly program: WorkerProgram
  /** In MB. */
  readonly memoryLimit?: number | undefined
  readonly events: WorkerProcessEvents
}

/** One worker process: its channel, its watchdog's pipe, and what it prints. */
export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #silence = new Silence()
  /** Sockets that the process has not confirmed, the oldest first. */
  readonly #handing: { readonly socket: Socket; readonly failed: () => void }[] = []
  #exited = false

  constructor({ identity, program, memoryLimit, events }: WorkerProcessOptions) {
    const { entry, args = [], env = process.env, execArgv = process.execArgv } = program
    this.#child = fork(entry, args, {
      env: { ...env, [IDENTITY]: JSON.stringify(identity) },
      // A worker must survive a cut: see watchdog.ts.
      execArgv: [...execArgv, '--no-force-async-hooks-checks', ...heapLimit(memoryLimit)],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
      // A group of its own: Ctrl+C in a terminal reaches the supervisor alone, and a kill includes what the worker started.
      detached: true,
    })
    const child = this.#child
    child.on('message', (value, handle) => {
      const message = readMessage(value)
      if (message?.type === 'pass' && handle instanceof Socket) return events.passed(message, handle)
      if (handle instanceof Socket) handle.destroy()
      if (handle instanceof Server) handle.close()
      // The socket is missing if its peer hung up while it was passed on.
      if (message?.type === 'pass') return undefined
      return message ? events.message(message) : events.misbehaved()
    })
    // Without file descriptors left, there are no streams: 'error' follows.
    const { stdout, stderr, stdio } = child as Partial<ChildProcess>
    if (stdout) eachLine(stdout, (line) => events.line('stdout', line))
    if (stderr) eachLine(stderr, (line) => events.line('stderr', line))
    if (stdio) eachLine(stdio[WATCHDOG_FD] as Readable, (line) => this.#heard(line, events))
    const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (this.#exited) return
      this.#exited = true
      events.exited(code, signal)
      for (const { failed } of this.#handing.splice(0)) failed()
    }
    // Not 'close': a process that the worker left behind may keep its streams open.
    child.on('exit', exited)
    // A process that could not be started has no id. Otherwise, a message could not be sent: 'exit' follows.
    child.on('error', () => {
      if (child.pid === undefined) exited(null, null)
    })
  }

  #heard(line: string, events: WorkerProcessEvents): void {
    const message = readWatchdogLine(line)
    if (!message) return events.misbehaved()
    this.#silence.beat()
    return events.watchdog(message)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(message: SupervisorMessage): void {
    // It may exit at any time: 'exit' says so.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  /**
   * Hands a socket over. Calls `failed` if the process ended before it had the socket. Node does not notice that: it forgets
   * sockets on their way to a process that dies, and leaves them open. So this process keeps each one until `taken()`.
   */
  hand(socket: Socket, failed: () => void): void {
    if (this.#exited) return failed()
    this.#handing.push({ socket, failed })
    const message: SupervisorMessage = { type: 'connection' }
    // If it cannot be sent, the exit follows.
    if (this.#child.connected) this.#child.send(message, socket, { keepOpen: true }, () => {})
    return undefined
  }

  /** The process has the oldest socket that was handed over. Closing this copy does not end the connection. */
  taken(): void {
    this.#handing.shift()?.socket.destroy()
  }

  /**
   * Hands over a socket that another worker has passed on. Calls `failed` if it could not be sent. This copy is closed as
   * soon as it was sent, since it would read what the caller sends to the process.
   */
  pass(socket: Socket, request: PassedRequest, failed: () => void): void {
    const message: SupervisorMessage = { type: 'passed', ...request }
    if (this.#exited || !this.#child.connected) return failed()
    this.#child.send(message, socket, { keepOpen: true }, (error) => (error ? failed() : socket.destroy()))
    return undefined
  }

  /** Kills the process, and every process that it has started. */
  kill(): void {
    const { pid } = this.#child
    if (pid === undefined || this.#exited) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Windows has no process groups.
      this.#child.kill('SIGKILL')
    }
  }

  /** Whether its watchdog has been silent for so long that the process must be stuck. */
  isSilent(elapsed: number): boolean {
    const { pid } = this.#child
    if (pid === undefined || this.#exited) return false
    return this.#silence.look(elapsed, () => processState(pid))
  }
}

/** Node's own limit is above ours, so that a worker is drained before it runs out of memory. */
function heapLimit(memoryLimit: number | undefined): string[] {
  return memoryLimit === undefined ? [] : [`--max-old-space-size=${Math.ceil(1.5 * memoryLimit)}`]
}
