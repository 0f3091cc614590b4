import { SampleReader } from '../../audio/index.ts'
import { PartTimeoutError, type PartContext, type SpokenChunk } from '../../parts/index.ts'
import type { Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { OwnedRequest } from '../owned-request.ts'
import { RATE } from './session-config.ts'

/** What is sent. */
export interface SpeechBody {
  input: string
  model: string
  voice: string
  response_format: 'pcm'
  instructions?: string
  speed?: number
}

export interface SpeechRequestOptions {
  readonly name: string
  readonly context: PartContext
  readonly url: string
  readonly headers: () => Record<string, string>
  readonly body: Omit<SpeechBody, 'input'>
  readonly stallTimeout: number
}

/** The wait before the second try is drawn from 0 to this, in milliseconds, if the service names none. */
const RETRY_AFTER = 500
/** A longer wait is worse than an error, which somebody may have a fallback for: the caller hears nothing meanwhile. */
const LONGEST_RETRY_AFTER = 2_000
/** Characters of an error's body that are read. */
const LONGEST_ERROR = 4_096

/**
 * Speech over HTTP, one text at a time. The request and its body belong to the part's scope: both end at once when the
 * speech is stopped or the scope closes. What fails for a passing reason before any sound is tried once more.
 */
export class SpeechRequest {
  readonly #options: SpeechRequestOptions

  constructor(options: SpeechRequestOptions) {
    this.#options = options
  }

  async *speak(input: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { name, context } = this.#options
    const request = new OwnedRequest(`speech of '${name}'`, context.scope, signal)
    try {
      const { body } = await this.#post(input, request)
      const reader = body?.getReader()
      const samples = new SampleReader()
      for (let next = await this.#read(reader, request); next; next = await this.#read(reader, request)) {
        const frame = { samples: samples.push(next), sampleRate: RATE } as const
        if (frame.samples.length > 0) yield { frame }
      }
    } finally {
      request.end()
    }
  }

  async #post(input: string, request: OwnedRequest): Promise<Response> {
    const first = await this.#try(input, request)
    if (first.ok) return first.response
    const { error, retryAfter } = first
    if (!error.retryable || retryAfter > LONGEST_RETRY_AFTER) throw error
    const { name, context } = this.#options
    context.logger.info({ provider: name, status: error.status, retryAfter }, 'a speech is asked for again')
    await this.#pause(retryAfter, request)
    const second = await this.#try(input, request)
    if (second.ok) return second.response
    throw second.error
  }

  async #try(input: string, request: OwnedRequest): Promise<Tried> {
    const { url, headers, body, context } = this.#options
    const sent: SpeechBody = { ...body, input }
    const retryAfter = context.random.next() * RETRY_AFTER
    let response: Response
    try {
      response = await this.#soon(
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers() },
          body: JSON.stringify(sent),
          signal: request.signal,
        }),
        request,
      )
    } catch (error) {
      return { ok: false, error: this.#asFailure(error), retryAfter }
    }
    if (response.ok) return { ok: true, response }
    const words = await this.#soon(errorIn(response), request)
    const error = new ProviderError(this.#options.name, words, { status: response.status })
    return { ok: false, error, retryAfter: waitIn(response.headers) ?? retryAfter }
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    request: OwnedRequest,
  ): Promise<Uint8Array | undefined> {
    try {
      return reader && (await this.#soon(reader.read(), request)).value
    } catch (error) {
      throw this.#asFailure(error)
    }
  }

  /** Why `fetch` has failed; throws what is no failure of the service. */
  #asFailure(error: unknown): ProviderError {
    // Networks fail with this one; what was stopped has its own reason.
    if (!(error instanceof TypeError)) throw error
    const { cause } = error
    const why = cause instanceof Error ? cause.message : error.message
    return new ProviderError(this.#options.name, `the connection broke: ${why}`, { retryable: true })
  }

  /** What the promise becomes; throws as soon as the request is aborted, or when it takes too long. */
  #soon<T>(promise: Promise<T>, request: OwnedRequest): Promise<T> {
    const { name, stallTimeout } = this.#options
    const what = `speech of '${name}'`
    const settled = new Promise<T>((resolve, reject) => {
      let timer: Timer | undefined
      promise.finally(() => timer?.clear()).then(resolve, reject)
      timer = request.scope.after(stallTimeout, what, () => reject(new PartTimeoutError(what, stallTimeout)))
    })
    return request.until(settled)
  }

  async #pause(ms: number, request: OwnedRequest): Promise<void> {
    let timer: Timer | undefined
    const over = new Promise<void>((resolve) => {
      timer = request.scope.after(ms, `second try of '${this.#options.name}'`, resolve)
    })
    try {
      await request.until(over)
    } finally {
      timer?.clear()
    }
  }
}

type Tried =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly error: ProviderError; readonly retryAfter: number }

/** How long the service wants us to wait, in milliseconds. */
function waitIn(headers: Headers): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (ms >= 0) return ms
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

/** The service's own words for an error. */
async function errorIn(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, LONGEST_ERROR)
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // It is no JSON: a proxy may say anything.
  }
  return text
}
