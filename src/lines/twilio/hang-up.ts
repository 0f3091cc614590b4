import { noop, pause, type Clock } from '../../scope/index.ts'
import { askCarrier } from './ask-carrier.ts'
import type { Carrier, ApiRequest } from './carrier.ts'
import { limits } from './limits.ts'

export interface HangUpOptions {
  readonly clock: Clock
  readonly carrier: Carrier
  readonly fetch: typeof fetch
  readonly call: string
  readonly account: string | undefined
}

/**
 * Ends one call at its carrier. The request is made once, however often `ask` is called, and retried when it fails for a
 * passing reason; the carrier may report the end by itself before that. The request belongs to all calls, not to a
 * session: a session that is closed in a hurry still has its call ended.
 */
export class HangUp {
  /** Whether the carrier said that the call has ended. */
  confirmed = false
  /** Why the carrier has not confirmed, as far as known. Never contains a secret. */
  problem = 'it was not asked'
  readonly #options: HangUpOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<() => void>()
  #asked = false
  #done = false

  constructor(options: HangUpOptions) {
    this.#options = options
  }

  /** Whether the carrier can be asked: that needs credentials. */
  get possible(): boolean {
    return this.#request() !== undefined
  }

  /** Whether requests are under way. */
  get busy(): boolean {
    return this.#asked && !this.#done
  }

  /** The carrier reported by itself that the call has ended. */
  confirm(): void {
    this.confirmed = true
    this.#finish()
  }

  /** Asks the carrier to end the call. */
  ask(): void {
    if (this.#asked || this.#done) return
    const request = this.#request()
    if (!request) return this.#finish()
    this.#asked = true
    this.#try(request)
      .catch(noop)
      .finally(() => this.#finish())
      .catch(noop)
    return undefined
  }

  /** Resolves when the end is confirmed or given up, or after `ms`. */
  settled(ms: number): Promise<void> {
    if (this.#done) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        timer.clear()
        this.#waiting.delete(done)
        resolve()
      }
      const timer = this.#options.clock.after(ms, 'the carrier confirms the end of a call', done)
      this.#waiting.add(done)
    })
  }

  abort(): void {
    this.#finish()
  }

  #request(): ApiRequest | undefined {
    const { carrier, call, account } = this.#options
    return carrier.hangUp(call, account)
  }

  async #try(request: ApiRequest): Promise<void> {
    for (let left: number = limits.tries, wait: number = limits.pause; left > 0; left--, wait *= 2) {
      const passing = await this.#post(request)
      if (this.#done || this.confirmed || !passing || left === 1) return
      await pause(this.#options.clock, wait, 'next attempt to end a call', this.#stop.signal)
    }
  }

  /** Sends the request. Returns whether it failed for a passing reason. */
  async #post(request: ApiRequest): Promise<boolean> {
    const { carrier, clock, fetch: ask } = this.#options
    const answer = await askCarrier({ clock, fetch: ask, signal: this.#stop.signal }, request)
    this.problem = `it ${answer.problem ?? `answers ${answer.status}`}`
    if (answer.status !== undefined && carrier.hasEnded(answer.status, answer.body)) this.confirmed = true
    return answer.passing
  }

  #finish(): void {
    if (this.#done) return
    this.#done = true
    this.#stop.abort()
    for (const done of this.#waiting) done()
  }
}
