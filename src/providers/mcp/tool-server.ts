import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import { type PartContext } from '../../parts/index.ts'
import { SignalStop, noop } from '../../scope/index.ts'
import type { ToolContext } from '../../session/index.ts'
import { McpToolsetError } from './errors.ts'
import { Failures } from './failures.ts'
import { HttpTransport } from './http-transport.ts'
import { listTools, NEVER } from './list-tools.ts'
import type { McpSettings } from './options.ts'
import type { OwnedTransport, TransportEnd } from './owned-transport.ts'
import { Progress } from './progress.ts'
import type { Sdk } from './sdk.ts'
import { StdioTransport } from './stdio-transport.ts'
import { outputOf } from './tool-output.ts'

/** How we introduce ourselves. */
const us = { name: 'endwell', version: '0.1.0' }

/** A server that runs, and the client that speaks to it. */
interface Connection {
  readonly client: Client
  readonly transport: OwnedTransport
}

/**
 * A server of tools, for as long as its agent is on duty.
 *
 * If it dies, the calls in flight fail, and are not made again: nobody knows what they have done already. The next call
 * starts it anew, because a conversation goes on for minutes after a server has stumbled; but not for ever.
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

  /** Starts it, and asks what it can do. */
  async open(): Promise<readonly ListedTool[]> {
    let listed: readonly ListedTool[] = []
    this.#connection = await this.#start(async (client) => {
      listed = await listTools(client, this.#sdk, this.#settings.name)
    })
    return listed
  }

  /** Calls one of its tools. Throws the signal's reason when that aborts, after the server has been told. */
  async call(name: string, input: unknown, { signal, progress }: ToolContext): Promise<unknown> {
    const { client, transport } = await this.#connected(signal)
    const progressToken = this.#progress.begin(progress)
    try {
      const result = await client.request(
        {
          method: 'tools/call',
          params: { name, arguments: input as Record<string, unknown>, _meta: { progressToken } },
        },
        this.#sdk.CallToolResultSchema,
        { signal, timeout: NEVER },
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
    if (this.#connection?.transport.over === false) return this.#connection
    const stop = new SignalStop(signal, this.#context.scope)
    try {
      // One start for all who wait; one who leaves does not stop it.
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
    const client = new this.#sdk.Client(us)
    this.#listen(client)
    const task = scope.spawn(`start of '${name}'`, async ({ until }) => {
      await until(client.connect(transport, { timeout: NEVER }))
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
        `'${name}' is not started any more: it had to be ${maxRestarts} times already (maxRestarts)`,
      )
    const retries = this.#starts++
    const host = {
      name,
      sdk: this.#sdk,
      clock: this.#context.scope.clock,
      endTimeout,
      heard: (message: JSONRPCMessage) => this.#progress.hear(message),
      ended: (end: TransportEnd) => this.#ended(transport, end, retries),
    }
    const transport: OwnedTransport =
      server.command === undefined
        ? new HttpTransport(server.url, server.headers, host)
        : new StdioTransport(server, host)
    return transport
  }

  #ended(transport: OwnedTransport, end: TransportEnd, retries: number): void {
    const { name } = this.#settings
    const { logger, scope, ended } = this.#context
    ended({ name, ...end, retries })
    if (end.how !== 'dropped') return
    const { cause, complaints } = transport
    logger.warn({ toolset: name, cause, complaints }, 'an MCP server is gone')
    // While it closes, its scope hears of the end by itself, and has to report it.
    if (scope.state === 'live') scope.forget(transport)
  }

  /** An agent is told its tools when it comes on duty: that they have changed is good to know, and no more. */
  #listen(client: Client): void {
    const { name } = this.#settings
    let told = false
    client.setNotificationHandler(this.#sdk.ToolListChangedNotificationSchema, () => {
      if (told) return
      told = true
      this.#context.logger.info(
        { toolset: name },
        'the tools of an MCP server have changed; its agent gets them when it next comes on duty',
      )
    })
  }
}
