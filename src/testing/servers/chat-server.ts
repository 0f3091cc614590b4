import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../../scope/index.ts'

export interface ChatServerOptions {
  /** The key that every request must bear; any unless set. */
  key?: string
}

/** One thing that happens in an answer. */
export type ChatStep =
  /** A piece of text. */
  | string
  /** A tool call. Its input comes in small pieces. */
  | { readonly call: string; readonly input: string; readonly id: string }
  /** What the model thinks to itself, as some compatible servers tell it. */
  | { readonly thinks: string }
  /** Nothing for so many milliseconds. */
  | { readonly wait: number }
  /** The answer ends here, for this reason: `length`, `content_filter`, … */
  | { readonly finish: string }
  | { readonly rude: ChatRudeness }
  /** Rude: an error in the middle of the stream. */
  | { readonly error: string }

/**
 * - `stalls`: nothing more comes, and the body never ends
 * - `drops`: the connection breaks
 * - `garbles`: a chunk comes that is no JSON
 * - `breaks off`: the body ends in the middle of the answer, as if that were all
 */
export type ChatRudeness = 'stalls' | 'drops' | 'garbles' | 'breaks off'

/** How a request is treated. */
export type ChatAnswer =
  | readonly ChatStep[]
  /** An error with this status. */
  | { readonly refuse: number; readonly message?: string }
  /** Rude: not even headers come. */
  | { readonly hangs: true }

/** A request as it came. */
export interface ChatRequest {
  readonly path: string
  readonly body: {
    readonly model?: string
    readonly messages?: readonly Readonly<Record<string, unknown>>[]
    readonly tools?: readonly Readonly<Record<string, unknown>>[]
    readonly [option: string]: unknown
  }
  /** How it was answered; `left` if the client has gone before the end. */
  readonly how: 'running' | 'answered' | 'refused' | 'dropped' | 'left'
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Words that an answer ends with. */
const REASONS = { text: 'stop', calls: 'tool_calls' } as const

/**
 * The chat completions of OpenAI and of the many servers that are compatible with it, streaming only.
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
  /** The pooled connections on which requests came. */
  readonly #sockets = new Set<Socket>()
  readonly #waiting = new Set<() => void>()

  constructor({ key }: ChatServerOptions = {}) {
    this.#key = key
  }

  /** The next requests are answered so, in this order. Beyond that each is refused with 500. */
  answers(...answers: readonly ChatAnswer[]): this {
    this.#answers.push(...answers)
    return this
  }

  /** The base URL of its API on that server. */
  urlAt(server: { readonly url: string }): string {
    return `${server.url.replace(/^ws/, 'http')}/v1`
  }

  /** Requests that are neither answered nor left. */
  get open(): number {
    return this.requests.filter(({ how }) => how === 'running').length
  }

  /** TCP connections, idle ones of the client's pool included. */
  get sockets(): number {
    return [...this.#sockets].filter(({ destroyed }) => !destroyed).length
  }

  /** Resolves when `met` holds. It is looked at again whenever a request has come or is over. */
  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** To be given to `LoopbackServer.listen`. */
  readonly http = (incoming: IncomingMessage, response: ServerResponse): void => {
    this.#sockets.add(incoming.socket)
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (piece: string) => (text += piece))
    incoming.once('end', () => this.#answer(incoming, text, response))
  }

  #answer({ url = '/', headers }: IncomingMessage, text: string, response: ServerResponse): void {
    const body = bodyIn(text)
    const request: Mutable<ChatRequest> = { path: url, body, how: 'running' }
    this.requests.push(request)
    response.once('close', () => {
      if (request.how === 'running') request.how = 'left'
      this.#changed()
    })
    this.#respond(request, headers, response)
    this.#changed()
  }

  #respond(request: Mutable<ChatRequest>, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const { path, body } = request
    const refuse = (status: number, message: string): void => {
      request.how = 'refused'
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: 'error', param: null, code: null } }))
    }
    if (path !== '/v1/chat/completions') return refuse(404, `there is nothing at ${path}`)
    if (this.#key !== undefined && headers.authorization !== `Bearer ${this.#key}`)
      return refuse(401, `Incorrect API key provided: ${headers.authorization?.slice(7) ?? 'none'}`)
    if (body.stream !== true) return refuse(400, 'this server answers in streams only: set stream to true')
    const answer = this.#answers.shift()
    if (answer === undefined) return refuse(500, 'the script has no more answers')
    if ('refuse' in answer) return refuse(answer.refuse, answer.message ?? 'the server says no')
    if ('hangs' in answer) return undefined
    return new Streaming(request, response).play(answer)
  }

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}

/** What is no JSON has none of the fields that are asked for. */
function bodyIn(text: string): ChatRequest['body'] {
  try {
    return (JSON.parse(text) ?? {}) as ChatRequest['body']
  } catch {
    return {}
  }
}

/** One answer on its way. */
class Streaming {
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

  play([step, ...later]: readonly ChatStep[]): void {
    if (step === undefined) return this.#finish(this.#calls > 0 ? REASONS.calls : REASONS.text)
    if (typeof step === 'string') this.#text({ content: step })
    else if ('thinks' in step) this.#text({ reasoning_content: step.thinks })
    else if ('call' in step) this.#call(step)
    else if ('error' in step)
      this.#write(JSON.stringify({ error: { message: step.error, type: 'server_error' } }))
    else if ('finish' in step) return this.#finish(step.finish)
    else if ('wait' in step) return this.#wait(step.wait, later)
    else return this.#misbehave(step.rude, later)
    return this.play(later)
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
        this.play(later)
    }
  }

  #wait(ms: number, later: readonly ChatStep[]): void {
    const timer = systemClock.after(ms, 'chat server', () => {
      this.#response.off('close', gone)
      this.play(later)
    })
    const gone = (): void => timer.clear()
    this.#response.once('close', gone)
  }

  #text(delta: object): void {
    this.#pieces++
    this.#delta(delta)
  }

  /** The name comes first, and then its input, cut anywhere. */
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

  /** Counted as if each message and each piece of text were a token. */
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
    // What was written should arrive: a reset would take it back.
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
