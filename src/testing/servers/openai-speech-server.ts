import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesFromSamples } from '../../audio/index.ts'
import { systemClock, type Clock } from '../../scope/index.ts'
import { soundOf } from '../sound-text.ts'
import { Changes } from './changes.ts'
import { Play, type Acts } from './play.ts'

export interface OpenAISpeechServerOptions {
  /** Where the server's time comes from: the system unless set. */
  clock?: Clock
  /** The key that a request must bring; any unless set. */
  apiKey?: string
  /** How long a character sounds: 50 ms unless set. */
  msPerCharacter?: number
  /** Milliseconds until the headers: 0 unless set. */
  firstAfter?: number
  /** How much faster than it sounds it speaks: 5 unless set. `Infinity` is at once. */
  speed?: number
}

/**
 * How a request is treated.
 *
 * - `well`: it is answered
 * - `hangs`: not even headers come
 * - `stallsAfter`, `dropsAfter`: so many milliseconds of sound come, and then nothing more, or the connection breaks
 * - `refuse`: an error with this status
 */
export type SpeechManners =
  | 'well'
  | 'hangs'
  | { readonly stallsAfter: number }
  | { readonly dropsAfter: number }
  | { readonly refuse: number; readonly message?: string }

/** A request as it came. */
export interface SpeechRequest {
  readonly input: string
  readonly body: Readonly<Record<string, unknown>>
  /** How it was answered; `left` if the client has gone before the end. */
  readonly how: 'running' | 'answered' | 'refused' | 'dropped' | 'left'
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const RATE = 24_000
/** Bytes in one chunk: about 100 ms, and odd, so that chunks end within a sample as they do on a real wire. */
const CHUNK = 4801
const BYTES_PER_MS = (RATE * 2) / 1000

/**
 * OpenAI's speech over HTTP, `POST /v1/audio/speech`, for tests: it says its input in the voice of `soundOf`. It speaks
 * `pcm` alone.
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

  /** The next requests are treated so, in this order; those after them well. */
  treats(...manners: readonly SpeechManners[]): this {
    this.#manners.push(...manners)
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

  /** Resolves when `met` holds. It is looked at again whenever a request has come or is over. */
  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** To be given to `LoopbackServer.listen`. */
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
    if (method !== 'POST' || !url.endsWith('/audio/speech')) return refuse(404, `There is nothing at ${url}.`)
    if (body['response_format'] !== 'pcm') return refuse(400, "This server's response_format is pcm.")
    const manners = this.#manners.shift() ?? 'well'
    if (typeof manners === 'object' && 'refuse' in manners)
      return refuse(manners.refuse, manners.message ?? 'The server says no.')

    const play = new Play(clock, 'speaks', this.#acts(request, response, manners))
    response.once('close', () => {
      play.stop()
      if (request.how === 'running') request.how = 'left'
      this.#changes.tell()
    })
    return this.#changes.tell()
  }

  *#acts(
    request: Mutable<SpeechRequest>,
    response: ServerResponse,
    manners: Exclude<SpeechManners, { refuse: number }>,
  ): Acts {
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
      // What was written should arrive: a reset would take it back.
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
