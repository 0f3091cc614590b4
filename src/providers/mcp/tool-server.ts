import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import { type PartContext } from '../../parts/index.ts'
import { SignalStop, noop } from '../../scope/index.ts'
import type { ToolContext } from '../../session/index.ts'
import { McpToolsetError } from './errors.ts'
import { Failures } from './failures.ts'
import { HttpTransport } from './http-transport.ts'
import { listTools, NO_TIMEOUT } from './list-tools.ts'
import { NegotiatingTransport } from './negotiating-transport.ts'
import type { McpSettings } from './options.ts'
import type { OwnedTransport, TransportEnd } from './owned-transport.ts'
import { Progress } from './progress.ts'
import type { Sdk } from './sdk.ts'
import { StdioTransport } from './stdio-transport.ts'
import { outputOf } from './tool-output.ts'

const clientInfo = { name: 'endwell', version: '0.1.0' }

interface Connection {
  readonly client: Client
  readonly transport: OwnedTransport
}

/**
 * An MCP server, for as long as its agent is active.
 *
 * If the server dies, the calls in flight fail and are not repeated, since they may have had effects. The next call starts
 * the server again, up to `maxRestarts` times, so that the rest of the conversation can use it.
 */
export class ToolServer {
  readonly #sdk: Sdk
  readonly #settings: McpSettings
  readonly #context: PartContext
  readonly #failures: Failures
  readonly #progress = new Progress()
  #starts = 0
  #connection: Connection | undefined
  #starting: Promise<Connection> | undefined

  constructor(sdk: Sdk, settings: McpSettings, context: PartContext) {
    this.#sdk = sdk
    this.#settings = settings
    this.#context = context
    this.#failures = new Failures(settings, sdk)
  }

  /** Starts the server and lists its tools. */
  async open(): Promise<readonly ListedTool[]> {
    let listed: readonly ListedTool[] = []
    this.#connection = await this.#start(async (client) => {
      listed = await listTools(client, this.#sdk, this.#settings.name)
    })
    return listed
  }

  /** Calls a tool. When the signal aborts, cancels the call at the server and throws the signal's reason. */
  async call(name: string, input: unknown, { signal, progress }: ToolContext): Promise<unknown> {
    const { client, transport } = await this.#connected(signal)
    const progressToken = this.#progress.start(progress)
    try {
      const result = await client.request(
        {
          method: 'tools/call',
          params: { name, arguments: input as Record<string, unknown>, _meta: { progressToken } },
        },
        this.#sdk.CallToolResultSchema,
        { signal, timeout: NO_TIMEOUT },
      )
      return outputOf(result)
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failures.ofCall(error, transport, this.#context.scope.state)
    } finally {
      this.#progress.end(progressToken)
    }
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#connection?.transport.ended === false) return this.#connection
    const stop = new SignalStop(signal, this.#context.scope)
    try {
      // All waiting calls share one start, which continues if one of them is cancelled.
      return await stop.until((this.#starting ??= this.#restart()))
    } finally {
      stop.release()
    }
  }

  async #restart(): Promise<Connection> {
    try {
      return (this.#connection = await this.#start())
    } finally {
      this.#starting = undefined
    }
  }

  async #start(then: (client: Client) => Promise<void> = async () => {}): Promise<Connection> {
    const { scope } = this.#context
    const { name, startTimeout } = this.#settings
    const transport = this.#transport()
    scope.own('server', transport, {
      closing: () => transport.closing(),
      close: () => transport.end(),
      abort: () => transport.abort(),
    })
    const client = new this.#sdk.Client(clientInfo)
    this.#logToolChange(client)
    const task = scope.spawn(`start of '${name}'`, async ({ until }) => {
      await until(client.connect(transport, { timeout: NO_TIMEOUT }))
      await until(then(client))
    })
    let late = false
    const timer = scope.after(startTimeout, `startTimeout of '${name}'`, () => {
      late = true
      task.cancel()
    })
    try {
      await task.result
      return { client, transport }
    } catch (error) {
      scope.end(transport).catch(noop)
      throw scope.state === 'live' ? this.#failures.ofStart(error, transport, late) : error
    } finally {
      timer.clear()
    }
  }

  #transport(): OwnedTransport {
    const { name, server, endTimeout, maxRestarts } = this.#settings
    if (this.#starts > maxRestarts)
      throw new McpToolsetError(
        'MCP_GAVE_UP',
        `'${name}' keeps dying and is not started again: maxRestarts is ${maxRestarts}. Check the server`,
      )
    const retries = this.#starts++
    const host = {
      name,
      sdk: this.#sdk,
      clock: this.#context.scope.clock,
      endTimeout,
      message: (message: JSONRPCMessage) => this.#progress.handle(message),
      ended: (end: TransportEnd) => this.#ended(transport, end, retries),
    }
    const transport: OwnedTransport = new NegotiatingTransport(
      server.command === undefined
        ? new HttpTransport(server.url, server.headers, host)
        : new StdioTransport(server, host),
      clientInfo,
    )
    return transport
  }

  #ended(transport: OwnedTransport, end: TransportEnd, retries: number): void {
    const { name } = this.#settings
    const { logger, scope, ended } = this.#context
    ended({ name, ...end, retries })
    if (end.how !== 'dropped') return
    const { cause, stderr } = transport
    logger.warn({ toolset: name, cause, stderr }, 'an MCP server has ended unexpectedly')
    // A closing scope is already waiting for the transport and reports its end.
    if (scope.state === 'live') scope.forget(transport)
  }

  /** Logs the first change of the tool list. An agent gets its tools only when it is entered. */
  #logToolChange(client: Client): void {
    const { name } = this.#settings
    let logged = false
    client.setNotificationHandler(this.#sdk.ToolListChangedNotificationSchema, () => {
      if (logged) return
      logged = true
      this.#context.logger.info(
        { toolset: name },
        'the tools of an MCP server have changed; an agent gets them when it is next entered',
      )
    })
  }
}
