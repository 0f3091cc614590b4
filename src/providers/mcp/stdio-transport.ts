import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

import { LimitError, noop, type Timer } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'
import type { McpProcessOptions } from './options.ts'
import { cancelledBy, type OwnedTransport, type TransportEnd, type TransportHost } from './owned-transport.ts'
import { StderrTail } from './stderr-tail.ts'

/** How the end of the process is reported, by the last step that was taken to end it. */
const reportedAs = {
  none: 'dropped',
  'stdin closed': 'acknowledged',
  SIGTERM: 'closed',
  SIGKILL: 'aborted',
} as const satisfies Record<string, TransportEnd['how']>

/** With its own process group, everything that the process starts can be killed with it. `npx`, for example, starts the server. */
const hasOwnGroup = process.platform !== 'win32'

/** The variables that every program needs. The rest of our environment may contain secrets. */
const inherited =
  process.platform === 'win32'
    ? /^(appdata|homedrive|homepath|localappdata|path|pathext|programfiles|systemdrive|systemroot|temp|username|userprofile)$/i
    : /^(HOME|LANG|LC_ALL|LOGNAME|PATH|SHELL|TERM|TMPDIR|USER)$/

/**
 * A server that runs as a process. Messages are lines of its stdin and stdout.
 *
 *   end()    stdin closed ──▶ half of endTimeout ──▶ SIGTERM ──▶ the other half ──▶ SIGKILL
 *              └──────────────── ended as soon as the process exits ───────────────┘
 *   abort()  SIGKILL, pipes closed, ended
 */
export class StdioTransport implements OwnedTransport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly #options: McpProcessOptions
  readonly #host: TransportHost
  readonly #stderr: StderrTail
  readonly #buffer: InstanceType<TransportHost['sdk']['ReadBuffer']>
  readonly #whenEnded: Promise<void>
  #child: ChildProcessWithoutNullStreams | undefined
  #timers: Timer[] = []
  /** Consecutive lines that were not messages. */
  #garbage = 0
  #closing = false
  /** The last step that was taken to end the process. */
  #step: keyof typeof reportedAs = 'none'
  /** Whether the process outlived `endTimeout`. */
  #timedOut = false
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined
  /** The violation for which the process was killed, or why it could not be run. */
  #violation: string | undefined
  #ended = false
  #resolve: () => void = noop

  constructor(options: McpProcessOptions, host: TransportHost) {
    this.#options = options
    this.#host = host
    this.#stderr = new StderrTail(Object.values(options.env ?? {}))
    this.#buffer = new host.sdk.ReadBuffer({ maxBufferSize: limits.message })
    this.#whenEnded = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get ended(): boolean {
    return this.#ended
  }

  get cause(): string {
    const { code, signal } = this.#exit ?? {}
    if (this.#violation) return this.#violation
    return signal ? `it was ended by ${signal}` : `it ended with exit code ${code ?? 'unknown'}`
  }

  get stderr(): string {
    return this.#stderr.text
  }

  async start(): Promise<void> {
    if (this.#closing) throw this.#closed()
    const { command, args = [], cwd, env } = this.#options
    const basics = Object.entries(process.env).filter(([name]) => inherited.test(name))
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...Object.fromEntries(basics), ...env },
      stdio: 'pipe',
      detached: hasOwnGroup,
      windowsHide: true,
    })
    this.#child = child
    child.once('exit', (code, signal) => this.#exited(code, signal))
    child.once('close', () => this.#end())
    // A broken pipe means that the process is ending, and its exit code says more.
    for (const stream of child.stdio) stream?.on('error', noop)
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.add(chunk))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', (error: NodeJS.ErrnoException) => {
        this.#violation = `it cannot be run (${error.code})`
        reject(error)
      })
    })
  }

  /** Never waits: messages that the server does not read are buffered, up to `limits.unread`. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#closing && cancelledBy(message) === undefined) throw this.#closed()
    if (!stdin?.writable) throw new McpToolsetError('MCP_GONE', `'${this.#host.name}' has closed its stdin`)
    if (stdin.writableLength > limits.unread)
      throw new LimitError('unread', limits.unread, `'${this.#host.name}' does not read its stdin`)
    stdin.write(this.#host.sdk.serializeMessage(message))
  }

  closing(): void {
    this.#closing = true
  }

  async end(): Promise<void> {
    this.#closeStdin()
    await this.#whenEnded
    if (!this.#timedOut) return
    throw new McpToolsetError(
      'MCP_IGNORED_END',
      `'${this.#host.name}' was killed: it was still running ${this.#host.endTimeout} ms after its stdin was closed, ` +
        `despite SIGTERM. Let the server exit when its stdin ends, or raise endTimeout`,
    )
  }

  close(): Promise<void> {
    return this.end().catch(noop)
  }

  abort(): void {
    this.closing()
    this.#kill('SIGKILL')
    this.#end()
  }

  #closeStdin(): void {
    this.closing()
    if (!this.#child || this.#exit) return this.#end()
    if (this.#step !== 'none') return
    const { name, clock, endTimeout } = this.#host
    this.#step = 'stdin closed'
    this.#child.stdin.end()
    this.#timers.push(
      clock.after(endTimeout / 2, `SIGTERM to '${name}'`, () => this.#kill('SIGTERM')),
      clock.after(endTimeout, `SIGKILL to '${name}'`, () => {
        this.#timedOut = true
        this.#kill('SIGKILL')
      }),
    )
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid
    // After the exit, another process may have the same pid.
    if (pid === undefined || this.#exit) return
    this.#step = signal
    sendSignal(pid, signal)
  }

  #exited(code: number | null, signal: string | null): void {
    this.#exit = { code, signal }
    // Kills the processes it left behind: at this moment the group id cannot belong to another process yet.
    sendSignal(this.#child!.pid!, 'SIGKILL')
    if (this.#closing) return this.#end()
    // Waits for its last response, but not forever: a child that left the group may hold the pipe open.
    const { name, clock } = this.#host
    this.#timers.push(clock.after(limits.lastOutput, `last output of '${name}'`, () => this.#end()))
  }

  #end(): void {
    for (const timer of this.#timers.splice(0)) timer.clear()
    if (this.#ended) return
    this.#ended = true
    this.closing()
    const child = this.#child
    for (const stream of child?.stdio ?? []) stream?.destroy()
    child?.unref()
    if (child?.pid !== undefined) this.#host.ended(this.#report())
    this.#resolve()
    this.onclose?.()
  }

  #report(): TransportEnd {
    const { code, signal } = this.#exit ?? {}
    const reason = this.#violation ?? signal
    return {
      how: reportedAs[this.#step],
      ...(typeof code === 'number' ? { code } : {}),
      ...(reason ? { reason } : {}),
    }
  }

  #closed(): McpToolsetError {
    return new McpToolsetError('MCP_CLOSED', `'${this.#host.name}' is closing or closed`)
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch {
      return this.#killBecause(`it wrote a message of more than ${limits.message} bytes`)
    }
    for (;;) {
      const message = this.#next()
      if (message === null || this.#ended) return
      if (message === undefined && ++this.#garbage > limits.garbage)
        return this.#killBecause('it keeps writing lines that are not MCP messages')
      if (message === undefined) continue
      this.#garbage = 0
      this.#host.message(message)
      this.onmessage?.(message)
    }
  }

  /** The next message; undefined for a line that is not a message, null if there is no line. */
  #next(): JSONRPCMessage | undefined | null {
    try {
      return this.#buffer.readMessage()
    } catch {
      return undefined
    }
  }

  #killBecause(violation: string): void {
    const step = this.#step
    this.#violation = violation
    this.#child?.stdout.destroy()
    this.#kill('SIGKILL')
    // An end that was not asked for counts as a drop, even if we caused it.
    if (!this.#closing) this.#step = step
  }
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(hasOwnGroup ? -pid : pid, signal)
  } catch {
    // No such process.
  }
}
