import { basename } from 'node:path'

import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import type { ToolOptions } from '../../session/index.ts'

/** How the tools of a server are called; see `tool`. */
export type McpCallOptions = Pick<
  ToolOptions<undefined>,
  'timeout' | 'finishWithin' | 'onInterrupt' | 'approval' | 'filler' | 'duplicates'
>

interface CommonOptions {
  /** The name in reports, logs and errors. Default: the command or the host. */
  name?: string
  /** A prefix for the name of each tool. Use it when several servers have tools of the same name. */
  prefix?: string
  /** The tools to use, by their names on the server. A model chooses better among fewer tools. Default: all. */
  only?: readonly string[]
  /** Options for all tools, or a function that returns the options for one tool. */
  call?: McpCallOptions | ((tool: string) => McpCallOptions)
  /** The time limit from the start of the server to its list of tools. Default: 10 s. */
  startTimeout?: number
  /** The time limit for the end of the server. A process gets SIGTERM at half of it and SIGKILL at its end. Default: 1 s. */
  endTimeout?: number
  /** How often a server that died is started again by the next call. Default: 3. */
  maxRestarts?: number
}

/** A server that runs as a process and communicates over stdin and stdout. */
export interface McpProcessOptions extends CommonOptions {
  command: string
  args?: readonly string[]
  /** Added to the variables that every program needs (PATH, HOME, …). No other variables are passed on. */
  env?: Readonly<Record<string, string>>
  cwd?: string
  url?: undefined
}

const processNames: OptionNames<McpProcessOptions> = {
  name: true,
  prefix: true,
  only: true,
  call: true,
  startTimeout: true,
  endTimeout: true,
  maxRestarts: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
  url: true,
}

/** A server at a URL that communicates over streamable HTTP. */
export interface McpHttpOptions extends CommonOptions {
  url: string | URL
  /** Sent with each request. Use a function for tokens that expire. Redirects are not followed. */
  headers?: McpHeaders | (() => McpHeaders | PromiseLike<McpHeaders>)
  command?: undefined
}

const httpNames: OptionNames<McpHttpOptions> = {
  name: true,
  prefix: true,
  only: true,
  call: true,
  startTimeout: true,
  endTimeout: true,
  maxRestarts: true,
  url: true,
  headers: true,
  command: true,
}

export type McpHeaders = Readonly<Record<string, string>>
export type McpOptions = McpProcessOptions | McpHttpOptions
export type McpSettings = ReturnType<typeof resolveOptions>

/** Validates the options and fills in the defaults. */
export function resolveOptions(options: McpOptions) {
  if (options?.command === undefined) checkOptions<McpHttpOptions>('mcpTools', options, httpNames)
  else checkOptions('mcpTools', options, processNames)
  const { prefix = '', only, call = {} } = options
  const { startTimeout = 10_000, endTimeout = 1_000, maxRestarts = 3 } = options
  for (const [name, value] of Object.entries({ startTimeout, endTimeout, maxRestarts })) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new OptionError(`mcpTools: ${name} must be a finite number, 0 or more; it is ${value}`)
  }
  const server = options.command === undefined ? httpServer(options) : { ...options, url: undefined }
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

function httpServer(options: McpHttpOptions) {
  const url = URL.canParse(String(options.url)) ? new URL(options.url) : undefined
  // The message does not repeat the URL, which may contain a key.
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OptionError('mcpTools: set command, or a url that starts with http:// or https://')
  return { url, headers: options.headers ?? {}, command: undefined }
}
