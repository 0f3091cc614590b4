import type { Clock, Random, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'

type Form = Readonly<Record<string, string>>

/** How a carrier treats callbacks: of a status, a verdict, a recording, a conference. Default: one of each, at once. */
export interface CallbackManners {
  /** How many more times each callback is sent. Default: 0. */
  readonly repeats?: number
  /** Milliseconds before a callback is sent. Default: 0. */
  readonly delay?: number | ((form: Form) => number)
  /** A random delay of up to this many milliseconds for each callback, so that they come in any order. Default: 0. */
  readonly jitter?: number
  /** The probability that a callback is lost, or which ones are. Default: none. */
  readonly loses?: number | ((form: Form) => boolean)
}

export interface CallbackOptions {
  readonly clock: Clock
  readonly random: Random
  readonly manners: () => CallbackManners
}

/** Sends callbacks as the carrier's manners say. */
export class CallbackQueue {
  readonly #options: CallbackOptions
  readonly #timers = new Set<Timer>()

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  send(form: Form, post: () => void): void {
    const { repeats = 0, delay = 0, loses = 0 } = this.#options.manners()
    const ms = typeof delay === 'number' ? delay : delay(form)
    for (let sent = 0; sent <= repeats; sent++) if (!this.#isLost(form, loses)) this.#after(ms, post)
  }

  /** Forgets all callbacks that were not sent yet. */
  clear(): void {
    for (const timer of this.#timers) timer.clear()
    this.#timers.clear()
  }

  #isLost(form: Form, loses: NonNullable<CallbackManners['loses']>): boolean {
    if (typeof loses === 'function') return loses(form)
    // Without losses nothing is drawn, so that they do not change what else is random.
    return loses > 0 && this.#options.random.next() < loses
  }

  #after(ms: number, post: () => void): void {
    const { clock, random, manners } = this.#options
    const { jitter = 0 } = manners()
    const wait = ms + (jitter > 0 ? jitter * random.next() : 0)
    if (wait === 0) return post()
    const timer = outsideTimer(clock, wait, 'a late callback', () => {
      this.#timers.delete(timer)
      post()
    })
    this.#timers.add(timer)
  }
}
