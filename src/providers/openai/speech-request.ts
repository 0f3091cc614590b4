import { durationOf, SampleReader } from '../../audio/index.ts'
import { credentialsOf } from '../../link/index.ts'
import { PartTimeoutError, type PartContext, type SpokenChunk } from '../../parts/index.ts'
import { noop, type Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { OwnedRequest } from '../owned-request.ts'
import { silentSpeechProblem, speechProblem } from '../sound-limit.ts'

/** The only sample rate of the service. */
export const RATE = 24_000

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
  readonly headers: () => Promise<Record<string, string>>
  readonly body: Omit<SpeechBody, 'input'>
  readonly stallTimeout: number
}

/** Without a `retry-after` header, the delay before the retry is random between 0 and this. */
const RETRY_DELAY = 500
/** A longer `retry-after` fails the speech at once: the caller hears nothing meanwhile, and a fallback may exist. */
const MAX_RETRY_DELAY = 2_000
/** Bytes of an error response that are read. */
const MAX_ERROR_BYTES = 4_096

/**
 * Speech over HTTP, one text per request. The request and its body belong to the part's scope: both are aborted when the
 * speech is interrupted or the scope closes. A transient failure before the first audio is retried once.
 */
export class SpeechRequest {
  readonly #options: SpeechRequestOptions

  constructor(options: SpeechRequestOptions) {
    this.#options = options
  }

  async *speak(input: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { name, context, stallTimeout } = this.#options
    const request = new OwnedRequest(`speech of '${name}'`, context.scope, signal)
    try {
      const { body } = await this.#post(input, request)
      const reader = body?.getReader()
      const samples = new SampleReader()
      /** Milliseconds of audio received, and of waiting for it. */
      let sound = 0
      let waited = 0
      for (;;) {
        const since = context.scope.clock.now()
        const next = await this.#read(reader, request)
        if (!next) break
        const frame = { samples: samples.push(next), sampleRate: RATE } as const
        sound += durationOf(frame)
        waited += context.scope.clock.now() - since
        const problem = speechProblem(name, sound, input)
        if (problem) throw problem
        // A trickle that takes longer than it is to hear does not keep a speech alive.
        if (waited > sound + stallTimeout) throw new PartTimeoutError(`speech of '${name}'`, stallTimeout)
        if (frame.samples.length > 0) yield { frame }
      }
      const silent = silentSpeechProblem(name, sound, input)
      if (silent) throw silent
    } finally {
      request.end()
    }
  }

  async #post(input: string, request: OwnedRequest): Promise<Response> {
    const first = await this.#try(input, request)
    if (first.ok) return first.response
    const { error, retryAfter } = first
    if (!error.retryable || retryAfter > MAX_RETRY_DELAY) throw error
    const { name, context } = this.#options
    context.logger.info({ provider: name, status: error.status, retryAfter }, 'retrying a speech request')
    await this.#pause(retryAfter, request)
    const second = await this.#try(input, request)
    if (second.ok) return second.response
    throw second.error
  }

  async #try(input: string, request: OwnedRequest): Promise<Attempt> {
    const { url, headers, body, context } = this.#options
    const sent: SpeechBody = { ...body, input }
    const retryAfter = context.random.next() * RETRY_DELAY
    const sentHeaders = await this.#withTimeout(headers(), request)
    const credentials = credentialsOf({ url, headers: sentHeaders })
    let response: Response
    try {
      response = await this.#withTimeout(
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...sentHeaders },
          body: JSON.stringify(sent),
          signal: request.signal,
        }),
        request,
      )
    } catch (error) {
      return { ok: false, error: this.#asProviderError(error, credentials), retryAfter }
    }
    if (response.ok) return { ok: true, response }
    const message = await this.#withTimeout(errorMessageOf(response), request)
    const error = new ProviderError(this.#options.name, message, { status: response.status, credentials })
    return { ok: false, error, retryAfter: retryAfterOf(response.headers) ?? retryAfter }
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    request: OwnedRequest,
  ): Promise<Uint8Array | undefined> {
    try {
      return reader && (await this.#withTimeout(reader.read(), request)).value
    } catch (error) {
      throw this.#asProviderError(error)
    }
  }

  /** Converts a network error of `fetch`. Rethrows any other error, such as an abort reason. */
  #asProviderError(error: unknown, credentials: readonly string[] = []): ProviderError {
    // `fetch` reports network errors as TypeError.
    if (!(error instanceof TypeError)) throw error
    const { cause } = error
    const why = cause instanceof Error ? cause.message : error.message
    return new ProviderError(this.#options.name, `the connection broke: ${why}`, {
      retryable: true,
      credentials,
    })
  }

  /** Awaits a promise. Rejects when the request is aborted or after `stallTimeout`. */
  #withTimeout<T>(promise: Promise<T>, request: OwnedRequest): Promise<T> {
    const { name, stallTimeout } = this.#options
    const what = `speech of '${name}'`
    const bounded = new Promise<T>((resolve, reject) => {
      let timer: Timer | undefined
      promise.finally(() => timer?.clear()).then(resolve, reject)
      timer = request.scope.after(stallTimeout, what, () => reject(new PartTimeoutError(what, stallTimeout)))
    })
    return request.until(bounded)
  }

  async #pause(ms: number, request: OwnedRequest): Promise<void> {
    let timer: Timer | undefined
    const elapsed = new Promise<void>((resolve) => {
      timer = request.scope.after(ms, `retry of '${this.#options.name}'`, resolve)
    })
    try {
      await request.until(elapsed)
    } finally {
      timer?.clear()
    }
  }
}

type Attempt =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly error: ProviderError; readonly retryAfter: number }

/** The delay that the service asks for, in milliseconds. */
function retryAfterOf(headers: Headers): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (ms >= 0) return ms
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

/** The service's own error message. */
async function errorMessageOf(response: Response): Promise<string> {
  const text = await beginningOf(response)
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // Not JSON: the response may come from a proxy.
  }
  return text
}

/** The first bytes of the body, as text. The rest is not downloaded. */
async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let left = MAX_ERROR_BYTES
  while (left > 0) {
    const { value } = await reader.read()
    if (!value) break
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.length
  }
  reader.cancel().catch(noop)
  return text + decoder.decode()
}
