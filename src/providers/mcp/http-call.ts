import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'

import { LimitError, type Clock, type Timer } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { eventsOf } from './event-stream.ts'
import { limits } from './limits.ts'
import { headersOf } from './stateless.ts'

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface HttpCallHost {
  readonly name: string
  readonly clock: Clock
  request(request: HttpRequest): Promise<Response>
  /** Removes the credentials of the request from the text of a response. */
  redact(text: string): string
  /** Handles a message: the response, or progress before it. Returns false if it is not a valid message. */
  read(json: unknown): boolean
}

/**
 * One call over HTTP, up to its response. A stream that breaks before the response is resumed where it broke if the server
 * numbers its events; otherwise the call fails.
 */
export class HttpCall {
  readonly #message: JSONRPCRequest
  readonly #host: HttpCallHost
  readonly #controller = new AbortController()
  #responded = false
  #lastEventId: string | undefined
  #retry: number = limits.resumeAfter
  #timer: Timer | undefined

  constructor(message: JSONRPCRequest, host: HttpCallHost) {
    this.#message = message
    this.#host = host
  }

  abort(): void {
    this.#timer?.clear()
    this.#controller.abort()
  }

  /** Resolves once the response was read. */
  async run(): Promise<void> {
    const { signal } = this.#controller
    const headers = headersOf(this.#message)
    await this.#exchange({ method: 'POST', headers, body: JSON.stringify(this.#message), signal })
    for (let attempt = 0; !this.#responded; attempt++) {
      if (this.#lastEventId === undefined || attempt >= limits.resumptions)
        throw new McpToolsetError(
          'MCP_BAD_ANSWER',
          `the connection to '${this.#host.name}' broke before it responded`,
        )
      await this.#pause()
      await this.#exchange({ method: 'GET', headers: { 'last-event-id': this.#lastEventId }, signal })
    }
  }

  async #exchange(request: HttpRequest): Promise<void> {
    const { body, headers } = await this.#host.request(request)
    const type = headers.get('content-type') ?? ''
    if (!body) return
    if (/^application\/json\b/i.test(type)) return this.#readAll(body)
    if (/^text\/event-stream\b/i.test(type)) return this.#readStream(body)
    await body.cancel()
    throw new McpToolsetError(
      'MCP_BAD_ANSWER',
      `'${this.#host.name}' responded with neither JSON nor an event stream: is there an MCP server at its url?`,
    )
  }

  async #readAll(body: AsyncIterable<Uint8Array>): Promise<void> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > limits.message)
        throw new LimitError('message', limits.message, `a message from '${this.#host.name}' is too long`)
      chunks.push(chunk)
    }
    const json: unknown = JSON.parse(this.#host.redact(Buffer.concat(chunks).toString('utf8')))
    for (const message of Array.isArray(json) ? json : [json]) this.#read(message)
  }

  async #readStream(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const { data, id, retry } of eventsOf(body)) {
        this.#lastEventId = id || this.#lastEventId
        this.#retry = Math.min(retry ?? this.#retry, limits.maxResumeAfter)
        if (data !== '') this.#read(parse(this.#host.redact(data)))
        if (this.#responded) this.#abortSoon()
      }
    } catch (error) {
      if (this.#responded) return
      this.#controller.signal.throwIfAborted()
      // A broken connection can be resumed, a message over the limit cannot.
      if (error instanceof LimitError) throw error
    } finally {
      this.#timer?.clear()
    }
  }

  /** Gives the stream time to end, so that its connection can be reused, and then aborts it. */
  #abortSoon(): void {
    if (this.#timer || this.#controller.signal.aborted) return
    this.#timer = this.#host.clock.after(limits.afterResponse, 'end of a stream', () => this.abort())
  }

  #read(message: unknown): void {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown }
    const isResponse = id === this.#message.id && method === undefined
    if (this.#host.read(message) && isResponse) this.#responded = true
  }

  /** Waits before the stream is resumed. Throws as soon as the call is aborted. */
  async #pause(): Promise<void> {
    const { signal } = this.#controller
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const aborted = (): void => reject(signal.reason)
      signal.addEventListener('abort', aborted, { once: true })
      this.#timer = this.#host.clock.after(this.#retry, 'resumption of a stream', () => {
        this.#timer = undefined
        signal.removeEventListener('abort', aborted)
        resolve()
      })
    })
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
