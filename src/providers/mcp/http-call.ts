import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'

import { LimitError, type Clock, type Timer } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { eventsOf } from './event-stream.ts'
import { limits } from './limits.ts'

/** One request to a server. */
export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** What a call needs of its transport. */
export interface HttpCallHost {
  readonly name: string
  readonly clock: Clock
  request(request: HttpRequest): Promise<Response>
  /** Takes a message: the answer, or progress before it. Returns whether it is one. */
  read(json: unknown): boolean
}

/**
 * One call over HTTP: the request, and what comes back until the answer is there. A stream that breaks before the
 * answer is taken up again where it broke, if the server has numbered its events; else the call has failed.
 */
export class HttpCall {
  readonly #message: JSONRPCRequest
  readonly #host: HttpCallHost
  readonly #controller = new AbortController()
  #answered = false
  #lastEvent: string | undefined
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

  /** Resolves when the answer was read. */
  async run(): Promise<void> {
    const { signal } = this.#controller
    await this.#exchange({ method: 'POST', body: JSON.stringify(this.#message), signal })
    for (let tries = 0; !this.#answered; tries++) {
      if (this.#lastEvent === undefined || tries >= limits.resumptions)
        throw new McpToolsetError('MCP_BAD_ANSWER', `'${this.#host.name}' broke off before it had answered`)
      await this.#pause()
      await this.#exchange({ method: 'GET', headers: { 'last-event-id': this.#lastEvent }, signal })
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
      `'${this.#host.name}' answered with neither JSON nor a stream: is there an MCP server at its url?`,
    )
  }

  async #readAll(body: AsyncIterable<Uint8Array>): Promise<void> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > limits.message)
        throw new LimitError('message', limits.message, `a message of '${this.#host.name}' is too long`)
      chunks.push(chunk)
    }
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    for (const message of Array.isArray(json) ? json : [json]) this.#read(message)
  }

  async #readStream(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const { data, id, retry } of eventsOf(body)) {
        this.#lastEvent = id || this.#lastEvent
        this.#retry = Math.min(retry ?? this.#retry, limits.longestResumeAfter)
        if (data !== '') this.#read(parsed(data))
        if (this.#answered) this.#leaveSoon()
      }
    } catch (error) {
      if (this.#answered) return
      this.#controller.signal.throwIfAborted()
      // A connection that broke can be taken up again; what cannot be read, cannot.
      if (error instanceof LimitError) throw error
    } finally {
      this.#timer?.clear()
    }
  }

  /** A stream that ends by itself leaves its connection to the next call; one that does not is cut. */
  #leaveSoon(): void {
    if (this.#timer || this.#controller.signal.aborted) return
    this.#timer = this.#host.clock.after(limits.afterAnswer, 'end of a stream', () => this.abort())
  }

  #read(message: unknown): void {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown }
    const answers = id === this.#message.id && method === undefined
    if (this.#host.read(message) && answers) this.#answered = true
  }

  /** Waits before the stream is taken up again. Throws as soon as the call is aborted. */
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

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
