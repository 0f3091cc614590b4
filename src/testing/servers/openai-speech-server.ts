import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesFromSamples } from '../../audio/index.ts'
import { systemClock, type Clock } from '../../scope/index.ts'
import { soundOf } from '../sound-text.ts'
import { Changes } from './changes.ts'
import { TimelineRun, type Timeline } from './timeline-run.ts'

export interface OpenAISpeechServerOptions {
  /** Default: the system clock. */
  clock?: Clock
  /** The key that every request must have. Default: any. */
  apiKey?: string
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  /** Milliseconds before the headers. Default: 0. */
  firstAfter?: number
  /** How much faster than real time the audio is sent. `Infinity` sends it at once. Default: 5. */
  speed?: number
}

/**
 * How a request is treated.
 *
 * - `well`: sends the whole speech
 * - `hangs`: never responds, not even with headers
 * - `stallsAfter`, `dropsAfter`: after this many milliseconds of audio, stops sending or breaks the connection
 * - `refuse`: responds with this error status
 */
export type SpeechManners =
  | 'well'
  | 'hangs'
  | { readonly stallsAfter: number }
  | { readonly dropsAfter: number }
  | { readonly refuse: number; readonly message?: string }

/** A request that was received. */
export interface SpeechRequest {
  readonly input: string
  readonly body: Readonly<Record<string, unknown>>
  /** How it ended; `left` if the client aborted it. */
  readonly how: 'running' | 'answered' | 'refused' | 'dropped' | 'left'
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const RATE = 24_000
/** Bytes per chunk: about 100 ms. Odd, so that chunks split samples as on a real network. */
const CHUNK = 4801
const BYTES_PER_MS = (RATE * 2) / 1000

/**
 * OpenAI's speech over HTTP, `POST /v1/audio/speech`, for tests. A `TestLine` can read the text in its audio: see
 * `soundOf`. The only format is `pcm`.
 *
 * ```ts
 * const speech = new OpenAISpeechServer({ apiKey: 'secret' }).treats('well', { dropsAfter: 200 })
 * await using server = await LoopbackServer.listen({ http: speech.http })
 * ```
 */
export class OpenAISpeechServer {
  readonly requests: SpeechRequest[] = []
  readonly #options: OpenAISpeechServerOptions
  readonly #manners: SpeechManners[] = []
  readonly #changes = new Changes()

  constructor(options: OpenAISpeechServerOptions = {}) {
    this.#options = options
  }

  /** Sets how the next requests are treated, in this order. All others are treated well. */
  treats(...manners: readonly SpeechManners[]): this {
    this.#manners.push(...manners)
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

  /** Resolves when the condition is true. It is checked when a request starts or ends. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  /** The `http` function for `LoopbackServer.listen`. */
  readonly http = (incoming: IncomingMessage, response: ServerResponse): void => {
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (piece: string) => (text += piece))
    incoming.once('end', () => this.#answer(incoming, text, response))
  }

  #answer({ url = '/', method, headers }: IncomingMessage, text: string, response: ServerResponse): void {
    const body = parse(text)
    const { input } = body
    const request: Mutable<SpeechRequest> = {
      input: typeof input === 'string' ? input : '',
      body,
      how: 'running',
    }
    this.requests.push(request)
    const refuse = (status: number, message: string, code: string | null = null): void => {
      request.how = 'refused'
      const type = status < 500 ? 'invalid_request_error' : 'server_error'
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type, param: null, code } }))
    }
    const { apiKey, clock = systemClock } = this.#options
    const key = headers.authorization?.match(/^Bearer (.+)$/)?.[1]
    if (!key || (apiKey ?? key) !== key) return refuse(401, 'Incorrect API key provided.', 'invalid_api_key')
    if (method !== 'POST' || !url.endsWith('/audio/speech')) return refuse(404, `No such endpoint: ${url}.`)
    if (body['response_format'] !== 'pcm')
      return refuse(400, 'The only response_format of this server is pcm.')
    const manners = this.#manners.shift() ?? 'well'
    if (typeof manners === 'object' && 'refuse' in manners)
      return refuse(manners.refuse, manners.message ?? 'Refused by the test.')

    const run = new TimelineRun(clock, 'speech', this.#speech(request, response, manners))
    response.once('close', () => {
      run.stop()
      if (request.how === 'running') request.how = 'left'
      this.#changes.notify()
    })
    return this.#changes.notify()
  }

  *#speech(
    request: Mutable<SpeechRequest>,
    response: ServerResponse,
    manners: Exclude<SpeechManners, { refuse: number }>,
  ): Timeline {
    const { firstAfter = 0, speed = 5, msPerCharacter = 50 } = this.#options
    yield manners === 'hangs' ? Infinity : firstAfter
    response.writeHead(200, { 'content-type': 'audio/pcm' })
    response.flushHeaders()
    const bytes = bytesFromSamples(soundOf(request.input, RATE, msPerCharacter).samples)
    const end = Math.min(bytes.length, limitOf(manners) * BYTES_PER_MS)
    for (let at = 0; at < end; at += CHUNK) {
      const chunk = bytes.subarray(at, Math.min(at + CHUNK, end))
      response.write(chunk)
      if (speed < Infinity) yield chunk.length / BYTES_PER_MS / speed
    }
    if (typeof manners === 'object' && 'stallsAfter' in manners) yield Infinity
    if (typeof manners === 'object') {
      request.how = 'dropped'
      // Not a reset, which would discard data that was already written.
      return response.socket?.destroySoon()
    }
    request.how = 'answered'
    response.end()
    return undefined
  }
}

function limitOf(manners: Exclude<SpeechManners, { refuse: number }>): number {
  if (typeof manners !== 'object') return Infinity
  return 'stallsAfter' in manners ? manners.stallsAfter : manners.dropsAfter
}

function parse(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
