import { describeError, noop, type Clock, type Timer } from '../../scope/index.ts'
import type { Carrier, HangUpRequest } from './carrier.ts'
import { limits } from './limits.ts'

export interface HangUpOptions {
  readonly clock: Clock
  readonly carrier: Carrier
  readonly fetch: typeof fetch
  readonly call: string
  readonly account: string | undefined
}

/**
 * The end of one call at its carrier. It is asked for once, however often somebody wants it, and tried again when that
 * fails for a passing reason; the carrier itself may say before that the call is over. It belongs to all calls, not to
 * a session: a session that is closed in a hurry still has its call ended.
 */
export class HangUp {
  /** Whether the carrier said that the call is over. */
  confirmed = false
  /** Why not, as far as it is known: never with a secret in it. */
  problem = 'it was not asked'
  readonly #options: HangUpOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<() => void>()
  #asked = false
  #over = false

  constructor(options: HangUpOptions) {
    this.#options = options
  }

  /** Whether the carrier can be asked: who we are is known. */
  get possible(): boolean {
    return this.#request() !== undefined
  }

  /** Whether requests are under way. */
  get busy(): boolean {
    return this.#asked && !this.#over
  }

  /** The carrier says by itself that the call is over. */
  confirm(): void {
    this.confirmed = true
    this.#finish()
  }

  /** Asks the carrier to end the call. */
  ask(): void {
    if (this.#asked || this.#over) return
    const request = this.#request()
    if (!request) return this.#finish()
    this.#asked = true
    this.#try(request)
      .catch(noop)
      .finally(() => this.#finish())
      .catch(noop)
    return undefined
  }

  /** Resolves when it is confirmed or given up; or after `ms`. */
  settled(ms: number): Promise<void> {
    if (this.#over) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        timer.clear()
        this.#waiting.delete(done)
        resolve()
      }
      const timer = this.#options.clock.after(ms, 'the carrier ends the call', done)
      this.#waiting.add(done)
    })
  }

  abort(): void {
    this.#finish()
  }

  #request(): HangUpRequest | undefined {
    const { carrier, call, account } = this.#options
    return carrier.hangUp(call, account)
  }

  async #try(request: HangUpRequest): Promise<void> {
    for (let left: number = limits.tries, pause: number = limits.pause; left > 0; left--, pause *= 2) {
      const passing = await this.#post(request)
      if (this.#over || this.confirmed || !passing || left === 1) return
      await this.#pause(pause)
    }
  }

  /** Whether it failed for a passing reason. */
  async #post({ url, headers, body }: HangUpRequest): Promise<boolean> {
    const { carrier, clock } = this.#options
    const cut = new AbortController()
    const stop = (): void => cut.abort()
    this.#stop.signal.addEventListener('abort', stop)
    let timer: Timer | undefined
    try {
      timer = clock.after(limits.request, 'answer of the carrier', stop)
      const response = await this.#options.fetch(url, { method: 'POST', headers, body, signal: cut.signal })
      const text = await response.text()
      if (carrier.isOver(response.status, text)) this.confirmed = true
      this.problem = `it answers ${response.status}`
      return response.status >= 500 || response.status === 429
    } catch (error) {
      // The message of such an error may have the address in it, and an address is nobody's secret; the headers are not.
      this.problem = cut.signal.aborted
        ? 'it does not answer'
        : `it cannot be reached (${describeError(error).name})`
      return true
    } finally {
      timer?.clear()
      this.#stop.signal.removeEventListener('abort', stop)
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.clear()
        this.#stop.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = this.#options.clock.after(ms, 'next try to end a call', done)
      this.#stop.signal.addEventListener('abort', done)
    })
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#stop.abort()
    for (const done of this.#waiting) done()
  }
}
