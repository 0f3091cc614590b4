import { basename } from 'node:path'

import { OptionError } from '../../scope/index.ts'
import type { ToolOptions } from '../../session/index.ts'

/** How the tools of a server are called: see `tool`. */
export type McpCallOptions = Pick<
  ToolOptions<undefined>,
  'timeout' | 'finishWithin' | 'onInterrupt' | 'approval' | 'filler' | 'duplicates'
>

interface CommonOptions {
  /** Names the toolset in reports, logs and errors: the command or the host unless set. */
  name?: string
  /** Stands before the name of each tool. Give one to servers whose tools have the same names. */
  prefix?: string
  /** The tools to be used, by their names at the server: all unless set. The fewer, the better a model chooses. */
  only?: readonly string[]
  /** How its tools are called; a function is asked with the name of each. */
  call?: McpCallOptions | ((tool: string) => McpCallOptions)
  /** From the start of the server to its list of tools: 10 s unless set. */
  startTimeout?: number
  /** How long the server may take to end before it is killed: 1 s unless set. A process is sent SIGTERM half-way. */
  endTimeout?: number
  /** How often a server that died is started again, by the next call: 3 times unless set. */
  maxRestarts?: number
}

/** A server that is a process of its own, spoken to over its input and output. */
export interface McpProcessOptions extends CommonOptions {
  command: string
  args?: readonly string[]
  /** Set on top of what every program needs (PATH, HOME, …). Nothing else of our own environment is handed on. */
  env?: Readonly<Record<string, string>>
  cwd?: string
  url?: undefined
}

/** A server behind an address, spoken to over streamable HTTP. */
export interface McpHttpOptions extends CommonOptions {
  url: string | URL
  /** Sent with each request; a function is asked each time, for tokens that expire. They follow no redirect. */
  headers?: McpHeaders | (() => McpHeaders | PromiseLike<McpHeaders>)
  command?: undefined
}

export type McpHeaders = Readonly<Record<string, string>>
export type McpOptions = McpProcessOptions | McpHttpOptions
export type McpSettings = ReturnType<typeof settle>

/** The options with everything decided. */
export function settle(options: McpOptions) {
  const { prefix = '', only, call = {} } = options
  const { startTimeout = 10_000, endTimeout = 1_000, maxRestarts = 3 } = options
  for (const [name, value] of Object.entries({ startTimeout, endTimeout, maxRestarts })) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new OptionError(`mcpTools: ${name} must be a finite number, 0 or more; it is ${value}`)
  }
  const server = options.command === undefined ? address(options) : { ...options, url: undefined }
  const name = options.name ?? (server.url?.host || basename(server.command ?? ''))
  return {
    name,
    prefix,
    only,
    callOptions: typeof call === 'function' ? call : () => call,
    startTimeout,
    endTimeout,
    maxRestarts,
    server,
  }
}

function address(options: McpHttpOptions) {
  const url = URL.canParse(String(options.url)) ? new URL(options.url) : undefined
  // The address itself is not repeated: keys travel in some.
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OptionError('mcpTools: give it a command, or a url that begins with http:// or https://')
  return { url, headers: options.headers ?? {}, command: undefined }
}
