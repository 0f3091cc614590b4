import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import {
  StreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach } from 'vitest'

import { Events } from './mcp-fixture.ts'
import { serverUnderTest, type Manners } from './mcp-tools-under-test.ts'

export interface HttpManners extends Manners {
  /** Answers with JSON, not with streams. */
  readonly json?: boolean
  /** Keeps no sessions. */
  readonly stateless?: boolean
  /** Numbers its events, so that a broken stream can be taken up again; and how long to wait before. */
  readonly resumable?: { readonly retry?: number }
  /** Takes the request away from the server: returns whether it did. */
  readonly takes?: (request: Seen, response: ServerResponse) => boolean
}

/** A request that has come in. */
export interface Seen {
  readonly method: string
  /** What the message in it wants: `tools/call`, for instance. */
  readonly wants: string
  /** The number of the message, if it wants an answer. */
  readonly id: number | undefined
  readonly headers: IncomingMessage['headers']
}

/** A real MCP server on a real port of this machine, made with the SDK. */
export class HttpServerUnderTest {
  readonly events = new Events()
  readonly seen: Seen[] = []
  /** Requests without an end. */
  open = 0
  readonly #manners: HttpManners
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>()
  readonly #server = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy())
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

  /** The sessions that have not been ended. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** It has been restarted, so to speak. */
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

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++
    response.once('close', () => {
      this.open--
      this.events.add(`end of ${seen.method} ${seen.wants}`)
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const message = (body === '' ? {} : JSON.parse(body)) as { method?: string; id?: number }
    const { method = '', headers } = request
    const seen: Seen = { method, wants: message.method ?? '', id: message.id, headers }
    this.seen.push(seen)
    this.events.add(`${method} ${seen.wants}`.trim())
    if (this.#manners.takes?.(seen, response)) return
    const session = await this.#session(headers['mcp-session-id'], seen.wants === 'initialize')
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
      ...(stateless ? {} : { sessionIdGenerator: () => `session-${this.seen.length}` }),
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

/** Remembers the events of all streams. */
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
