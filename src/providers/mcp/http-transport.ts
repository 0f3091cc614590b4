import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'

import { noop, type Timer } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { HttpCall, type HttpRequest } from './http-call.ts'
import type { McpHttpOptions } from './options.ts'
import { cancelledBy, type OwnedTransport, type TransportEnd, type TransportHost } from './owned-transport.ts'

/** What has no answer but a status. */
interface Note {
  readonly controller: AbortController
  readonly sent: Promise<Response>
  /** Whether the end of the session waits for it: a server without sessions learns nowhere else that a call is cancelled. */
  readonly last: boolean
}

/**
 * A server behind an address: each message is a request of its own, and the answer to a call is the answer to its
 * request, or a stream that has it.
 *
 * There is no standing stream for what a server wants to say unasked. All it could say is that its tools have changed,
 * which an agent learns when it next comes on duty; and a connection that does not exist cannot be a zombie.
 *
 *   end()    calls aborted ──▶ cancellations sent ──▶ DELETE of the session ──▶ over, within endTimeout
 *   abort()  every request aborted, over
 */
export class HttpTransport implements OwnedTransport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly complaints = ''
  readonly #url: URL
  readonly #headers: NonNullable<McpHttpOptions['headers']>
  readonly #host: TransportHost
  readonly #calls = new Map<RequestId, HttpCall>()
  readonly #notes = new Set<Note>()
  #session: string | undefined
  #version: string | undefined
  #connected = false
  #closing = false
  #overran = false
  #timer: Timer | undefined
  #cause = 'it was closed'
  #ending: Promise<void> | undefined
  #over = false
  #whenOver: () => void = noop

  constructor(url: URL, headers: NonNullable<McpHttpOptions['headers']>, host: TransportHost) {
    this.#url = url
    this.#headers = headers
    this.#host = host
  }

  get over(): boolean {
    return this.#over
  }

  get cause(): string {
    return this.#cause
  }

  async start(): Promise<void> {
    if (this.#closing) throw this.#closed()
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const cancelled = cancelledBy(message)
    if (this.#over || (this.#closing && cancelled === undefined)) throw this.#closed()
    if (cancelled !== undefined) this.#calls.get(cancelled)?.abort()
    if ('method' in message && 'id' in message) await this.#call(message)
    else await this.#note({ method: 'POST', body: JSON.stringify(message) }, cancelled !== undefined)
  }

  closing(): void {
    this.#closing = true
  }

  end(): Promise<void> {
    return (this.#ending ??= this.#end())
  }

  close(): Promise<void> {
    return this.end().catch(noop)
  }

  abort(): void {
    this.#finish({ how: 'aborted' })
  }

  async #call(message: JSONRPCRequest): Promise<void> {
    const { name, clock, sdk } = this.#host
    const call = new HttpCall(message, {
      name,
      clock,
      request: (request) => this.#request(request),
      read: (json) => {
        const { data } = sdk.JSONRPCMessageSchema.safeParse(json)
        if (!data || this.#over) return false
        this.#host.heard(data)
        this.onmessage?.(data)
        return true
      },
    })
    this.#calls.set(message.id, call)
    try {
      await call.run()
    } finally {
      this.#calls.delete(message.id)
    }
  }

  async #note(request: Omit<HttpRequest, 'signal'>, last: boolean): Promise<Response> {
    const controller = new AbortController()
    const sent = this.#request({ ...request, signal: controller.signal })
    const note: Note = { controller, sent, last }
    this.#notes.add(note)
    try {
      const response = await sent
      await response.body?.cancel()
      return response
    } finally {
      this.#notes.delete(note)
    }
  }

  async #request({ method, headers, body, signal }: HttpRequest): Promise<Response> {
    const given = typeof this.#headers === 'function' ? await this.#headers() : this.#headers
    const response = await fetch(this.#url, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
        ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
        ...headers,
        ...given,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      // The headers are meant for this address alone.
      redirect: 'manual',
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw this.#unreachable(error)
    })
    if (response.ok) {
      this.#connected = true
      this.#session = response.headers.get('mcp-session-id') ?? this.#session
    } else if (method !== 'DELETE') await this.#refused(response)
    return response
  }

  async #refused(response: Response): Promise<never> {
    const { status } = response
    await response.body?.cancel()
    if (status === 404 && this.#session !== undefined) {
      this.#cause = 'it has forgotten the session'
      this.#finish({ how: 'dropped', code: status, reason: this.#cause })
    }
    throw new McpToolsetError(
      'MCP_REFUSED',
      `'${this.#host.name}' answered with status ${status}: ${advice(status)}`,
    )
  }

  #unreachable(error: unknown): McpToolsetError {
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
    const why = typeof code === 'string' ? ` (${code})` : ''
    return new McpToolsetError('MCP_UNREACHABLE', `'${this.#host.name}' cannot be reached${why}`, {
      cause: error,
    })
  }

  async #end(): Promise<void> {
    this.closing()
    if (this.#over) return
    for (const call of this.#calls.values()) call.abort()
    for (const { controller, last } of this.#notes) if (!last) controller.abort()
    const { clock, endTimeout, name } = this.#host
    this.#timer = clock.after(endTimeout, `end of '${name}'`, () => {
      this.#overran = true
      this.abort()
    })
    await new Promise<void>((resolve) => {
      this.#whenOver = resolve
      this.#terminate()
        .then((end) => this.#finish(end))
        .catch(noop)
    })
    if (!this.#overran) return
    throw new McpToolsetError(
      'MCP_IGNORED_END',
      `'${name}' did not answer the end of its session within ${endTimeout} ms. Raise endTimeout, or look at the server`,
    )
  }

  /** Ends the session, after the cancellations on their way. Never throws. */
  async #terminate(): Promise<TransportEnd> {
    await Promise.allSettled([...this.#notes].map(({ sent }) => sent))
    if (this.#session === undefined || this.#over) return { how: 'closed' }
    try {
      const { status, ok } = await this.#note({ method: 'DELETE' }, true)
      // Not every server lets others end its sessions: such a one says 405.
      return ok ? { how: 'acknowledged' } : { how: 'closed', code: status }
    } catch {
      return { how: 'dropped', reason: 'it could not be reached any more' }
    }
  }

  #finish(end: TransportEnd): void {
    if (this.#over) return
    this.#over = true
    this.#timer?.clear()
    this.closing()
    for (const call of this.#calls.values()) call.abort()
    for (const { controller } of this.#notes) controller.abort()
    if (this.#connected) this.#host.ended(end)
    this.#whenOver()
    this.onclose?.()
  }

  #closed(): McpToolsetError {
    return new McpToolsetError('MCP_CLOSED', `'${this.#host.name}' is closing or closed`)
  }
}

function advice(status: number): string {
  if (status === 401 || status === 403) return 'it is not authorised. Check its headers'
  if (status >= 300 && status < 400) return 'it is somewhere else. Give the address it has moved to'
  if (status === 404 || status === 405) return 'there is no MCP server. Check its url'
  return status >= 500 || status === 429 ? 'it cannot answer now' : 'it does not take the request'
}
