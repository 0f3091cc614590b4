import { describeError, type Clock, type Timer } from '../../scope/index.ts'
import type { ApiRequest, Carrier } from './carrier.ts'
import { limits } from './limits.ts'

export interface AskOptions {
  readonly clock: Clock
  readonly fetch: typeof fetch
  readonly signal?: AbortSignal
}

/**
 * The carrier's answer to a request. Without one, `problem` is what the carrier did instead; it never contains a secret.
 * `passing`: whether the request may succeed if it is repeated.
 */
export type CarrierAnswer = { readonly passing: boolean } & (
  | { readonly status: number; readonly body: string; readonly problem?: undefined }
  | { readonly status?: undefined; readonly problem: string }
)

/** Sends a request to the carrier's REST API. Never rejects, and takes `limits.request` at most. */
export async function askCarrier(
  { clock, fetch: ask, signal }: AskOptions,
  { method, url, headers, body }: ApiRequest,
): Promise<CarrierAnswer> {
  const cut = new AbortController()
  const stop = (): void => cut.abort()
  if (signal?.aborted) return { passing: false, problem: 'was not asked' }
  signal?.addEventListener('abort', stop)
  let timer: Timer | undefined
  try {
    timer = clock.after(limits.request, 'the carrier answers', stop)
    const response = await ask(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: cut.signal,
    })
    const { status } = response
    return { status, body: await readText(response), passing: status >= 500 || status === 429 }
  } catch (error) {
    // Names the error only: its message could contain the request.
    const name = cut.signal.aborted ? undefined : describeError(error).name
    return {
      passing: true,
      problem: name === undefined ? 'does not answer' : `cannot be reached (${name})`,
    }
  } finally {
    timer?.clear()
    signal?.removeEventListener('abort', stop)
  }
}

/** Reads a body up to a limit: what follows is not the answer of a carrier. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    chunks.push(chunk as Uint8Array)
    size += (chunk as Uint8Array).length
    if (size > limits.restAnswer) break
  }
  return Buffer.concat(chunks).subarray(0, limits.restAnswer).toString()
}

/** Why the carrier has not done what it was asked to do, for a report. */
export function whyOf(answer: CarrierAnswer, carrier: Carrier): string {
  if (answer.status === undefined) return `the carrier ${answer.problem}`
  return `the carrier answers ${answer.status}: ${carrier.problemIn(answer.body)}`
}
