import type {
  CallOut,
  CallQuery,
  HostState,
  Refusal,
  RetryQuery,
  SessionDetails,
  SessionSummary,
  WorkCounts,
  WorkQuery,
  WorkRecord,
} from '../../host/index.ts'
import type { DialOptions } from '../../lines/twilio/index.ts'
import { EndwellError, systemClock } from '../../scope/index.ts'
import type { Operator } from './operator.ts'

/** No host answers at an address. */
export class HostUnreachableError extends EndwellError {
  constructor(url: string, why: string, cause?: unknown) {
    const advice = 'Start one with `endwell start`, or pass its address with --url'
    super('HOST_UNREACHABLE', `no host answers at ${url}: ${why}. ${advice}`, { cause })
  }
}

/** How long a host may take to answer, in milliseconds. */
const TIMEOUT = 10_000

/** Asks a host over HTTP. */
export class HostOperator implements Operator {
  readonly #url: string
  readonly #secret: string | undefined

  constructor(url: string, secret: string | undefined) {
    this.#url = url
    this.#secret = secret
  }

  async sessions({ state, clean, words, limit }: CallQuery): Promise<readonly SessionSummary[]> {
    const query = queryText({ state, clean, q: words, limit })
    return (await this.#ask<{ sessions: SessionSummary[] }>('GET', `/api/sessions${query}`)).sessions
  }

  async details(call: string): Promise<SessionDetails | undefined> {
    try {
      return await this.#ask<SessionDetails>('GET', `/api/sessions/${encodeURIComponent(call)}`)
    } catch (error) {
      if (error instanceof EndwellError && error.code === 'NO_SUCH_SESSION') return undefined
      throw error
    }
  }

  async closeCall(call: string): Promise<'closing' | 'ordered'> {
    const path = `/api/sessions/${encodeURIComponent(call)}/close`
    const { ordered } = await this.#ask<{ ordered?: boolean }>('POST', path, {})
    return ordered ? 'ordered' : 'closing'
  }

  async hosts(): Promise<readonly HostState[]> {
    return (await this.#askJournal<{ hosts: HostState[] }>('GET', '/api/hosts')).hosts
  }

  async drain(host: string | undefined): Promise<string> {
    const body = host === undefined ? {} : { host }
    return (await this.#askJournal<{ host: string }>('POST', '/api/drain', body)).host
  }

  work({ state, call, limit }: WorkQuery): Promise<{ work: WorkRecord[]; counts: WorkCounts }> {
    return this.#askJournal('GET', `/api/work${queryText({ state, call, limit })}`)
  }

  async retry(query: RetryQuery): Promise<number> {
    return (await this.#askJournal<{ retried: number }>('POST', '/api/work/retry', query)).retried
  }

  /** Calls somebody, unless the key was used before. */
  call(options: DialOptions): Promise<CallOut> {
    return this.#ask('POST', '/api/calls', options)
  }

  callOut(key: string): Promise<CallOut> {
    return this.#ask('GET', `/api/calls/${encodeURIComponent(key)}`)
  }

  cancelCall(key: string): Promise<CallOut> {
    return this.#ask('POST', `/api/calls/${encodeURIComponent(key)}/cancel`, {})
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** What only a host with a journal has. */
  async #askJournal<T>(method: string, path: string, body?: object): Promise<T> {
    try {
      return await this.#ask<T>(method, path, body)
    } catch (error) {
      if (!(error instanceof EndwellError) || error.code !== 'NOT_FOUND') throw error
      throw new EndwellError(
        'NO_JOURNAL',
        `the host at ${this.#url} has no journal: serve the agent with \`endwell start\``,
      )
    }
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const url = this.#url
    const late = new AbortController()
    const timer = systemClock.after(TIMEOUT, `an answer of ${url}`, () => late.abort())
    try {
      const response = await fetch(url + path, {
        method,
        signal: late.signal,
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(this.#secret === undefined ? {} : { authorization: `Bearer ${this.#secret}` }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const answer = parsed(await response.text())
      if (!answer) throw new HostUnreachableError(url, `something else does, with status ${response.status}`)
      if (!response.ok) throw refusalOf(answer, response.status)
      return answer as T
    } catch (error) {
      if (error instanceof EndwellError) throw error
      throw new HostUnreachableError(url, late.signal.aborted ? 'it takes too long' : causeOf(error), error)
    } finally {
      timer.clear()
    }
  }
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function refusalOf({ error }: Partial<Refusal>, status: number): EndwellError {
  const { code = 'FAILED', message = `the host answered with status ${status}` } = error ?? {}
  const advice = status === 401 ? '. Set ENDWELL_SECRET to the secret of the host' : ''
  return new EndwellError(code, message + advice)
}

/** The error of `fetch` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? 'the connection failed'
}

function queryText(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}
