import type { Refusal } from '../../../src/host/wire/index.ts'

/** A request to the host failed. Status 0: there was no response. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

export const noResponse = (): ApiError => new ApiError(0, 'NO_RESPONSE', 'The server is not responding')

/** Sends a request to the host. Throws `ApiError`. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' })
  } catch (error) {
    if (init?.signal?.aborted) throw error
    throw noResponse()
  }
  if (response.ok) return response
  const refusal = (await response.json().catch(() => undefined)) as Refusal | undefined
  const { code, message } = refusal?.error ?? {
    code: 'FAILED',
    message: `The request failed with status ${response.status}`,
  }
  throw new ApiError(response.status, code, message)
}

export async function read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await request(path, signal ? { signal } : {})
  return (await response.json()) as Answer
}

export async function send(method: 'POST' | 'PUT', path: string, body?: object): Promise<void> {
  await request(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
}
