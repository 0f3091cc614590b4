import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../../scope/index.ts'
import { Changes } from './changes.ts'

export interface ChatServerOptions {
  /** The key that every request must have. Default: any. */
  key?: string
}

/** One step of an answer. */
export type ChatStep =
  /** A piece of text. */
  | string
  /** A tool call, whose input is sent in small pieces. */
  | { readonly call: string; readonly input: string; readonly id: string }
  /** Reasoning, as some compatible servers send it. */
  | { readonly thinks: string }
  /** A pause in milliseconds. */
  | { readonly wait: number }
  /** Ends the answer with this finish reason: `length`, `content_filter`, … */
  | { readonly finish: string }
  | { readonly rude: ChatRudeness }
  /** An error in the middle of the stream. */
  | { readonly error: string }

/**
 * - `stalls`: sends nothing more, and the body never ends
 * - `drops`: breaks the connection
 * - `garbles`: sends a chunk that is not JSON
 * - `breaks off`: ends the body in the middle of the answer
 */
export type ChatRudeness = 'stalls' | 'drops' | 'garbles' | 'breaks off'

/** How a request is treated. */
export type ChatAnswer =
  | readonly ChatStep[]
  /** Responds with this error status. */
  | { readonly refuse: number; readonly message?: string }
  /** Never responds, not even with headers. */
  | { readonly hangs: true }

/** A request that was received. */
export interface ChatRequest {
  readonly path: string
  readonly body: {
    readonly model?: string
    readonly messages?: readonly Readonly<Record<string, unknown>>[]
    readonly tools?: readonly Readonly<Record<string, unknown>>[]
    readonly [option: string]: unknown
  }
  /** How it ended; `left` if the client aborted it. */
  readonly how: 'running' | 'answered' | 'refused' | 'dropped' | 'left'
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const FINISH_REASONS = { text: 'stop', calls: 'tool_calls' } as const

/**
 * OpenAI's chat completions, which many other servers offer, too; streaming only.
 *
 * ```ts
 * const chat = new ChatServer({ key: 'secret' }).answers(['Good ', 'morning.'])
 * await using server = await LoopbackServer.listen({ http: chat.http })
 * const model = createOpenAI({ baseURL: chat.urlAt(server), apiKey: 'secret' }).chat('any')
 * ```
 */
export class ChatServer {
  readonly requests: ChatRequest[] = []
  readonly #key: string | undefined
  readonly #answers: ChatAnswer[] = []
  /** The TCP connections on which requests were received. */
  readonly #sockets = new Set<Socket>()
  readonly #changes = new Changes()

  constructor({ key }: ChatServerOptions = {}) {
    this.#key = key
  }

  /** Adds answers for the next requests, in this order. Without an answer, a request is refused with 500. */
  answers(...answers: readonly ChatAnswer[]): this {
    this.#answers.push(...answers)
    return this
  }

  /** The base URL of the API on that server. */
  urlAt(server: { readonly url: string }): string {
    return `${server.url.replace(/^ws/, 'http')}/v1`
  }

  /** The number of unfinished requests. */
  get open(): number {
    return this.requests.filter(({ how }) => how === 'running').length
  }

  /** The number of TCP connections, including idle ones of the client's pool. */
  get sockets(): number {
    return [...this.#sockets].filter(({ destroyed }) => !destroyed).length
  }

  /** Resolves when the condition is true. It is checked when a request starts or ends. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  /** The `http` function for `LoopbackServer.listen`. */
  readonly http = (incoming: IncomingMessage, response: ServerResponse): void => {
    this.#sockets.add(incoming.socket)
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (piece: string) => (text += piece))
    incoming.once('end', () => this.#answer(incoming, text, response))
  }

  #answer({ url = '/', headers }: IncomingMessage, text: string, response: ServerResponse): void {
    const body = parse(text)
    const request: Mutable<ChatRequest> = { path: url, body, how: 'running' }
    this.requests.push(request)
    response.once('close', () => {
      if (request.how === 'running') request.how = 'left'
      this.#changes.notify()
    })
    this.#respond(request, headers, response)
    this.#changes.notify()
  }

  #respond(request: Mutable<ChatRequest>, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const { path, body } = request
    const refuse = (status: number, message: string): void => {
      request.how = 'refused'
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: 'error', param: null, code: null } }))
    }
    if (path !== '/v1/chat/completions') return refuse(404, `no such endpoint: ${path}`)
    if (this.#key !== undefined && headers.authorization !== `Bearer ${this.#key}`)
      return refuse(401, `Incorrect API key provided: ${headers.authorization?.slice(7) ?? 'none'}`)
    if (body.stream !== true) return refuse(400, 'this server only streams: set stream to true')
    const answer = this.#answers.shift()
    if (answer === undefined) return refuse(500, 'the chat server has no more answers')
    if ('refuse' in answer) return refuse(answer.refuse, answer.message ?? 'refused by the test')
    if ('hangs' in answer) return undefined
    return new StreamedAnswer(request, response).send(answer)
  }
}

/** Invalid JSON counts as an empty object. */
function parse(text: string): ChatRequest['body'] {
  try {
    return (JSON.parse(text) ?? {}) as ChatRequest['body']
  } catch {
    return {}
  }
}

class StreamedAnswer {
  readonly #request: Mutable<ChatRequest>
  readonly #response: ServerResponse
  #calls = 0
  #pieces = 0

  constructor(request: Mutable<ChatRequest>, response: ServerResponse) {
    this.#request = request
    this.#response = response
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.#delta({ role: 'assistant', content: '' })
  }

  send([step, ...later]: readonly ChatStep[]): void {
    if (step === undefined) return this.#finish(this.#calls > 0 ? FINISH_REASONS.calls : FINISH_REASONS.text)
    if (typeof step === 'string') this.#text({ content: step })
    else if ('thinks' in step) this.#text({ reasoning_content: step.thinks })
    else if ('call' in step) this.#call(step)
    else if ('error' in step)
      this.#write(JSON.stringify({ error: { message: step.error, type: 'server_error' } }))
    else if ('finish' in step) return this.#finish(step.finish)
    else if ('wait' in step) return this.#wait(step.wait, later)
    else return this.#misbehave(step.rude, later)
    return this.send(later)
  }

  #misbehave(how: ChatRudeness, later: readonly ChatStep[]): void {
    switch (how) {
      case 'stalls':
        return
      case 'drops':
        this.#drop()
        return
      case 'breaks off':
        this.#end()
        return
      case 'garbles':
        this.#write('{"choices":[{"del')
        this.send(later)
    }
  }

  #wait(ms: number, later: readonly ChatStep[]): void {
    const timer = systemClock.after(ms, 'chat server', () => {
      this.#response.off('close', closed)
      this.send(later)
    })
    const closed = (): void => timer.clear()
    this.#response.once('close', closed)
  }

  #text(delta: object): void {
    this.#pieces++
    this.#delta(delta)
  }

  /** Sends the name first, and then the input in pieces. */
  #call({ call, input, id }: Extract<ChatStep, { call: string }>): void {
    const index = this.#calls++
    const first = { index, id, type: 'function', function: { name: call, arguments: '' } }
    this.#delta({ tool_calls: [first] })
    for (const piece of input.match(/[\s\S]{1,5}/g) ?? []) {
      this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
  }

  #finish(reason: string): void {
    this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
    this.#usage()
    this.#write('[DONE]')
    this.#end()
  }

  /** Counts each message and each piece of text as one token. */
  #usage(): void {
    const { stream_options, messages = [] } = this.#request.body
    if (!(stream_options as { include_usage?: boolean } | undefined)?.include_usage) return
    const [prompt_tokens, completion_tokens] = [messages.length, this.#pieces + this.#calls]
    this.#chunk({
      choices: [],
      usage: {
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
        prompt_tokens_details: { cached_tokens: 1 },
      },
    })
  }

  #drop(): void {
    this.#request.how = 'dropped'
    // Not a reset, which would discard data that was already written.
    this.#response.socket?.end(() => this.#response.socket?.destroy())
  }

  #end(): void {
    this.#request.how = 'answered'
    this.#response.end()
  }

  #delta(delta: object): void {
    this.#chunk({ choices: [{ index: 0, delta, finish_reason: null }] })
  }

  #chunk(fields: object): void {
    const { model = 'any' } = this.#request.body
    const fixed = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model }
    this.#write(JSON.stringify({ ...fixed, ...fields }))
  }

  #write(data: string): void {
    this.#response.write(`data: ${data}\n\n`)
  }
}
