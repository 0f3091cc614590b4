import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import {
  StreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach } from 'vitest'

import { Events } from './fixture.ts'
import { serverUnderTest, type Manners } from './tools-under-test.ts'

export interface HttpManners extends Manners {
  /** Responds with JSON instead of streams. */
  readonly json?: boolean
  /** Has no sessions. */
  readonly stateless?: boolean
  /** Numbers its events, so that a broken stream can be resumed, after `retry` milliseconds. */
  readonly resumable?: { readonly retry?: number }
  /** Receives each request before the server does. If it returns true, the server never sees the request. */
  readonly intercept?: (request: SeenRequest, response: ServerResponse) => boolean
}

export interface SeenRequest {
  readonly method: string
  /** The method of its JSON-RPC message, such as `tools/call`. */
  readonly rpcMethod: string
  /** The id of its JSON-RPC message; undefined for a notification. */
  readonly id: number | undefined
  readonly headers: IncomingMessage['headers']
}

/** An MCP server made with the SDK, on a real port. */
export class HttpServerUnderTest {
  readonly events = new Events()
  readonly requests: SeenRequest[] = []
  /** The number of unfinished requests. */
  open = 0
  readonly #manners: HttpManners
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>()
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch(() => response.destroy())
  })

  private constructor(manners: HttpManners) {
    this.#manners = manners
  }

  static async listen(manners: HttpManners = {}): Promise<HttpServerUnderTest> {
    const server = new HttpServerUnderTest(manners)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    servers.add(server)
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`
  }

  /** The number of sessions that have not ended. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** Loses all sessions, as a restart would. */
  async forgetSessions(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.all(sessions.map((session) => session.close()))
  }

  async stop(): Promise<void> {
    await this.forgetSessions()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++
    response.once('close', () => {
      this.open--
      this.events.add(`end of ${seen.method} ${seen.rpcMethod}`)
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const message = (body === '' ? {} : JSON.parse(body)) as { method?: string; id?: number }
    const { method = '', headers } = request
    const seen: SeenRequest = { method, rpcMethod: message.method ?? '', id: message.id, headers }
    this.requests.push(seen)
    this.events.add(`${method} ${seen.rpcMethod}`.trim())
    if (this.#manners.intercept?.(seen, response)) return
    const session = await this.#session(headers['mcp-session-id'], seen.rpcMethod === 'initialize')
    if (session) await session.handleRequest(request, response, message.method ? message : undefined)
    else response.writeHead(404).end()
  }

  async #session(
    id: string | string[] | undefined,
    initial: boolean,
  ): Promise<StreamableHTTPServerTransport | undefined> {
    const { json = false, stateless = false, resumable, ...manners } = this.#manners
    if (!initial && !stateless) return this.#sessions.get(String(id))
    const transport = new StreamableHTTPServerTransport({
      ...(stateless ? {} : { sessionIdGenerator: () => `session-${this.requests.length}` }),
      ...(resumable ? { eventStore: new Store() } : {}),
      ...(resumable?.retry === undefined ? {} : { retryInterval: resumable.retry }),
      enableJsonResponse: json,
      keepAliveMs: 0,
      onsessioninitialized: (name) => void this.#sessions.set(name, transport),
      onsessionclosed: (name) => void this.#sessions.delete(name),
    })
    await serverUnderTest(this.events.add, manners).connect(transport)
    return transport
  }
}

const servers = new Set<HttpServerUnderTest>()
afterEach(async () => {
  await Promise.all([...servers].map((server) => server.stop()))
  servers.clear()
})

/** Stores the events of all streams. */
class Store implements EventStore {
  readonly #events: { readonly stream: string; readonly message: JSONRPCMessage }[] = []

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    return `${this.#events.push({ stream, message })}`
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { stream } = this.#events[Number(last) - 1]!
    for (const [index, event] of this.#events.entries())
      if (index >= Number(last) && event.stream === stream) await send(`${index + 1}`, event.message)
    return stream
  }
}
