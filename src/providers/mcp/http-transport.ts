import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'

import { credentialsOf, redactData } from '../../link/index.ts'
import { noop, type Timer } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { HttpCall, type HttpRequest } from './http-call.ts'
import type { McpHttpOptions } from './options.ts'
import { cancelledBy, type OwnedTransport, type TransportEnd, type TransportHost } from './owned-transport.ts'

/** A request whose response has no body: a notification, or the DELETE of the session. */
interface Notification {
  readonly controller: AbortController
  readonly sent: Promise<Response>
  /** Whether it is still sent during the end: only cancellations tell a stateless server that a call has ended. */
  readonly final: boolean
}

/**
 * A server at a URL. Each message is an HTTP request, and the response to a call is either JSON or a stream.
 *
 * No stream is kept open for unsolicited messages. A server could only announce that its tools have changed, which an
 * agent sees when it is next entered, and a connection that does not exist cannot be left behind.
 *
 *   end()    calls aborted ──▶ cancellations sent ──▶ DELETE of the session ──▶ ended, within endTimeout
 *   abort()  every request aborted, ended
 */
export class HttpTransport implements OwnedTransport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly stderr = ''
  readonly #url: URL
  readonly #headers: NonNullable<McpHttpOptions['headers']>
  readonly #host: TransportHost
  readonly #calls = new Map<RequestId, HttpCall>()
  readonly #notifications = new Set<Notification>()
  #session: string | undefined
  /** Of the last request. A server may repeat them. */
  #credentials: readonly string[] = []
  #version: string | undefined
  #connected = false
  #closing = false
  /** Whether the end took longer than `endTimeout`. */
  #timedOut = false
  #timer: Timer | undefined
  #cause = 'it was closed'
  #ending: Promise<void> | undefined
  #ended = false
  #resolveEnd: () => void = noop

  constructor(url: URL, headers: NonNullable<McpHttpOptions['headers']>, host: TransportHost) {
    this.#url = url
    this.#headers = headers
    this.#host = host
  }

  get ended(): boolean {
    return this.#ended
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
    if (this.#ended || (this.#closing && cancelled === undefined)) throw this.#closed()
    if (cancelled !== undefined) this.#calls.get(cancelled)?.abort()
    if ('method' in message && 'id' in message) await this.#call(message)
    else await this.#notify({ method: 'POST', body: JSON.stringify(message) }, cancelled !== undefined)
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
      redact: (text) => redactData(text, this.#credentials) as string,
      read: (json) => {
        const { data } = sdk.JSONRPCMessageSchema.safeParse(json)
        if (!data || this.#ended) return false
        this.#host.message(data)
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

  async #notify(request: Omit<HttpRequest, 'signal'>, final: boolean): Promise<Response> {
    const controller = new AbortController()
    const sent = this.#request({ ...request, signal: controller.signal })
    const notification: Notification = { controller, sent, final }
    this.#notifications.add(notification)
    try {
      const response = await sent
      await response.body?.cancel()
      return response
    } finally {
      this.#notifications.delete(notification)
    }
  }

  async #request({ method, headers, body, signal }: HttpRequest): Promise<Response> {
    const custom = typeof this.#headers === 'function' ? await this.#headers() : this.#headers
    this.#credentials = credentialsOf({ url: this.#url.href, headers: custom })
    const response = await fetch(this.#url, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
        ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
        ...headers,
        ...custom,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      // A redirect would send the headers to another server.
      redirect: 'manual',
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw this.#unreachable(error)
    })
    if (response.ok) {
      this.#connected = true
      this.#session = response.headers.get('mcp-session-id') ?? this.#session
    } else if (method !== 'DELETE') await this.#throwStatus(response)
    return response
  }

  async #throwStatus(response: Response): Promise<never> {
    const { status } = response
    await response.body?.cancel()
    if (status === 404 && this.#session !== undefined) {
      this.#cause = 'it no longer knows the session'
      this.#finish({ how: 'dropped', code: status, reason: this.#cause })
    }
    throw new McpToolsetError(
      'MCP_REFUSED',
      `'${this.#host.name}' answered with status ${status}: ${advice(status)}`,
      { status },
    )
  }

  #unreachable(error: unknown): McpToolsetError {
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
    const why = typeof code === 'string' ? ` (${code})` : ''
    return new McpToolsetError(
      'MCP_UNREACHABLE',
      `'${this.#host.name}' cannot be reached${why}. Check its url`,
      {
        cause: error,
      },
    )
  }

  async #end(): Promise<void> {
    this.closing()
    if (this.#ended) return
    for (const call of this.#calls.values()) call.abort()
    for (const { controller, final } of this.#notifications) if (!final) controller.abort()
    const { clock, endTimeout, name } = this.#host
    this.#timer = clock.after(endTimeout, `end of '${name}'`, () => {
      this.#timedOut = true
      this.abort()
    })
    await new Promise<void>((resolve) => {
      this.#resolveEnd = resolve
      this.#terminate()
        .then((end) => this.#finish(end))
        .catch(noop)
    })
    if (!this.#timedOut) return
    throw new McpToolsetError(
      'MCP_IGNORED_END',
      `'${name}' did not confirm the end of its session within ${endTimeout} ms. Check the server, or raise endTimeout`,
    )
  }

  /** Ends the session after the pending cancellations. Never throws. */
  async #terminate(): Promise<TransportEnd> {
    await Promise.allSettled([...this.#notifications].map(({ sent }) => sent))
    if (this.#session === undefined || this.#ended) return { how: 'closed' }
    try {
      const { status, ok } = await this.#notify({ method: 'DELETE' }, true)
      // A server that does not let clients end sessions answers 405.
      return ok ? { how: 'acknowledged' } : { how: 'closed', code: status }
    } catch {
      return { how: 'dropped', reason: 'it could not be reached any more' }
    }
  }

  #finish(end: TransportEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#timer?.clear()
    this.closing()
    for (const call of this.#calls.values()) call.abort()
    for (const { controller } of this.#notifications) controller.abort()
    if (this.#connected) this.#host.ended(end)
    this.#resolveEnd()
    this.onclose?.()
  }

  #closed(): McpToolsetError {
    return new McpToolsetError('MCP_CLOSED', `'${this.#host.name}' is closing or closed`)
  }
}

function advice(status: number): string {
  if (status === 401 || status === 403) return 'not authorised. Check the headers'
  if (status >= 300 && status < 400) return 'the server has moved. Set its new url'
  if (status === 404 || status === 405) return 'there is no MCP server. Check the url'
  return status >= 500 || status === 429 ? 'unavailable. Try again later' : 'it rejected the request'
}
