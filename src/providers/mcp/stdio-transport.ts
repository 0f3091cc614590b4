import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

import { LimitError, noop, type Timer } from '../../scope/index.ts'
import { Complaints } from './complaints.ts'
import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'
import type { McpProcessOptions } from './options.ts'
import { cancelledBy, type OwnedTransport, type TransportEnd, type TransportHost } from './owned-transport.ts'

/** What has been done to end the process, and so how its end is reported. */
const ends = {
  nothing: 'dropped',
  'its input was closed': 'acknowledged',
  SIGTERM: 'closed',
  SIGKILL: 'aborted',
} as const satisfies Record<string, TransportEnd['how']>

/** Where a process can lead a group of its own, all that it starts ends with it: `npx` starts a server, for instance. */
const leadsGroup = process.platform !== 'win32'

/** What every program needs. The rest of our environment has our secrets. */
const inherited =
  process.platform === 'win32'
    ? /^(appdata|homedrive|homepath|localappdata|path|pathext|programfiles|systemdrive|systemroot|temp|username|userprofile)$/i
    : /^(HOME|LANG|LC_ALL|LOGNAME|PATH|SHELL|TERM|TMPDIR|USER)$/

/**
 * A server that is a process: messages are lines of its input and output.
 *
 *   end()    input closed ──▶ half of endTimeout ──▶ SIGTERM ──▶ the other half ──▶ SIGKILL
 *              └────────────── exit, at any moment: over ───────────────────────────┘
 *   abort()  SIGKILL, pipes closed, over
 */
export class StdioTransport implements OwnedTransport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly #options: McpProcessOptions
  readonly #host: TransportHost
  readonly #complaints: Complaints
  readonly #buffer: InstanceType<TransportHost['sdk']['ReadBuffer']>
  readonly #whenOver: Promise<void>
  #child: ChildProcessWithoutNullStreams | undefined
  #timers: Timer[] = []
  #garbage = 0
  #closing = false
  #done: keyof typeof ends = 'nothing'
  #overran = false
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined
  /** What it did that nothing good can come of. */
  #offence: string | undefined
  #ended = false
  #resolve: () => void = noop

  constructor(options: McpProcessOptions, host: TransportHost) {
    this.#options = options
    this.#host = host
    this.#complaints = new Complaints(Object.values(options.env ?? {}))
    this.#buffer = new host.sdk.ReadBuffer({ maxBufferSize: limits.message })
    this.#whenOver = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get over(): boolean {
    return this.#ended
  }

  get cause(): string {
    const { code, signal } = this.#exit ?? {}
    if (this.#offence) return this.#offence
    return signal ? `it was ended by ${signal}` : `it ended with exit code ${code ?? 'unknown'}`
  }

  get complaints(): string {
    return this.#complaints.text
  }

  async start(): Promise<void> {
    if (this.#closing) throw this.#closed()
    const { command, args = [], cwd, env } = this.#options
    const ours = Object.entries(process.env).filter(([name]) => inherited.test(name))
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...Object.fromEntries(ours), ...env },
      stdio: 'pipe',
      detached: leadsGroup,
      windowsHide: true,
    })
    this.#child = child
    child.once('exit', (code, signal) => this.#exited(code, signal))
    child.once('close', () => this.#end())
    // Whatever breaks a pipe ends the process, and that says more.
    for (const stream of child.stdio) stream?.on('error', noop)
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#complaints.add(chunk))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', (error: NodeJS.ErrnoException) => {
        this.#offence = `it cannot be run (${error.code})`
        reject(error)
      })
    })
  }

  /** Never waits: what a server does not read is kept for it, up to a limit. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#closing && cancelledBy(message) === undefined) throw this.#closed()
    if (!stdin?.writable)
      throw new McpToolsetError('MCP_GONE', `'${this.#host.name}' does not take any input: it is ending`)
    if (stdin.writableLength > limits.unread)
      throw new LimitError('unread', limits.unread, `'${this.#host.name}' does not read its input`)
    stdin.write(this.#host.sdk.serializeMessage(message))
  }

  closing(): void {
    this.#closing = true
  }

  async end(): Promise<void> {
    this.#askToEnd()
    await this.#whenOver
    if (!this.#overran) return
    throw new McpToolsetError(
      'MCP_IGNORED_END',
      `'${this.#host.name}' was killed: it had not ended ${this.#host.endTimeout} ms after its input was closed, ` +
        `nor by SIGTERM. Let the server end when its input does, or raise endTimeout`,
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

  #askToEnd(): void {
    this.closing()
    if (!this.#child || this.#exit) return this.#end()
    if (this.#done !== 'nothing') return
    const { name, clock, endTimeout } = this.#host
    this.#done = 'its input was closed'
    this.#child.stdin.end()
    this.#timers.push(
      clock.after(endTimeout / 2, `SIGTERM to '${name}'`, () => this.#kill('SIGTERM')),
      clock.after(endTimeout, `SIGKILL to '${name}'`, () => {
        this.#overran = true
        this.#kill('SIGKILL')
      }),
    )
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid
    // Once it has exited, its number may be that of somebody else.
    if (pid === undefined || this.#exit) return
    this.#done = signal
    sendSignal(pid, signal)
  }

  #exited(code: number | null, signal: string | null): void {
    this.#exit = { code, signal }
    // What it has started and left behind: at this moment the group is its own still.
    sendSignal(this.#child!.pid!, 'SIGKILL')
    if (this.#closing) return this.#end()
    // Its last answer may be on its way; but somebody who left the group may hold the pipe for ever.
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
    const reason = this.#offence ?? signal
    return {
      how: ends[this.#done],
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
      return this.#giveUp(`it wrote a message of more than ${limits.message} bytes`)
    }
    for (;;) {
      const message = this.#next()
      if (message === null || this.#ended) return
      if (message === undefined && ++this.#garbage > limits.garbage)
        return this.#giveUp('it writes what is no message, without end')
      if (message === undefined) continue
      this.#garbage = 0
      this.#host.heard(message)
      this.onmessage?.(message)
    }
  }

  /** The next message; undefined for a line that is none, null if there is no line. */
  #next(): JSONRPCMessage | undefined | null {
    try {
      return this.#buffer.readMessage()
    } catch {
      return undefined
    }
  }

  /** Nothing good can come of it: it is killed, and its exit tells the rest. */
  #giveUp(offence: string): void {
    const done = this.#done
    this.#offence = offence
    this.#child?.stdout.destroy()
    this.#kill('SIGKILL')
    // An end that nobody has asked for is a drop, whoever made it.
    if (!this.#closing) this.#done = done
  }
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(leadsGroup ? -pid : pid, signal)
  } catch {
    // There is nobody left.
  }
}
