import type { Refusal } from '../../src/host/wire/index.ts'

/** The host did not do what it was asked. Status 0: it did not answer. */
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

/** Asks the host. Throws `ApiError`. */
export async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' })
  } catch (error) {
    if (init?.signal?.aborted) throw error
    throw new ApiError(0, 'NO_ANSWER', 'the server does not answer')
  }
  if (response.ok) return response
  const refusal = (await response.json().catch(() => undefined)) as Refusal | undefined
  const { code, message } = refusal?.error ?? { code: 'FAILED', message: `status ${response.status}` }
  throw new ApiError(response.status, code, message)
}

export async function read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await ask(path, signal ? { signal } : {})
  return (await response.json()) as Answer
}

export async function send(method: 'POST' | 'PUT', path: string, body?: object): Promise<void> {
  await ask(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
}
