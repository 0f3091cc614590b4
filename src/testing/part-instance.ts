import type { ConnectionReport, PartContext } from '../parts/index.ts'
import { ScopeClosedError, type CancelledError, type Clock, type Timer } from '../scope/index.ts'
import { outsideTimer } from './outside-timer.ts'

/** One open instance of a scripted part: its timers, and whether it has ended. */
export class PartInstance {
  readonly name: string
  readonly context: PartContext
  state: 'open' | 'closing' | 'ended' = 'open'
  readonly #timers = new Set<Timer>()
  readonly #onEnd = new Set<() => void>()
  /** What waits for each signal. One listener per signal is enough, however many frames a voice waits for. */
  readonly #waits = new WeakMap<AbortSignal, Set<() => void>>()
  readonly #onClosing = new Set<(reason: CancelledError) => void>()

  #connected: boolean

  constructor(name: string, context: PartContext, connects: boolean) {
    this.name = name
    this.context = context
    this.#connected = connects
  }

  get clock(): Clock {
    return this.context.scope.clock
  }

  get ended(): boolean {
    return this.state === 'ended'
  }

  /** Reports the end of its connection. Only the first call counts. */
  disconnected(how: ConnectionReport['how']): void {
    if (!this.#connected) return
    this.#connected = false
    this.context.ended({ name: this.name, how, retries: 0 })
  }

  /** Schedules an event outside the code under test. Cleared when the instance ends. */
  after(ms: number, what: string, callback: () => void): Timer {
    const timer = outsideTimer(this.clock, ms, `${this.name}: ${what}`, () => {
      this.#timers.delete(own)
      callback()
    })
    const own: Timer = {
      clear: () => {
        this.#timers.delete(own)
        timer.clear()
      },
    }
    if (!this.ended) this.#timers.add(own)
    else timer.clear()
    return own
  }

  /** Throws what `wait` would reject with now. */
  check(what: string, signal?: AbortSignal): void {
    signal?.throwIfAborted()
    if (this.ended) throw this.#endedError(what)
  }

  /** Waits. Rejects with the signal's reason when it aborts, and with `ScopeClosedError` when the instance ends. */
  wait(ms: number, what: string, signal?: AbortSignal): Promise<void> {
    return this.#pending(what, signal, (resolve) => this.after(ms, what, resolve))
  }

  /** Waits until the signal aborts or the instance ends. */
  stall(what: string, signal?: AbortSignal): Promise<void> {
    return this.#pending(what, signal, () => ({ clear() {} }))
  }

  onEnd(callback: () => void): () => void {
    this.#onEnd.add(callback)
    return () => this.#onEnd.delete(callback)
  }

  onClosing(callback: (reason: CancelledError) => void): void {
    this.#onClosing.add(callback)
  }

  /** @internal */
  notifyClosing(reason: CancelledError): void {
    if (this.ended) return
    this.state = 'closing'
    for (const callback of this.#onClosing) callback(reason)
  }

  /** Ends the instance. Every pending wait rejects. Returns false if it had ended before. */
  end(): boolean {
    if (this.ended) return false
    this.state = 'ended'
    for (const timer of this.#timers) timer.clear()
    for (const callback of this.#onEnd) callback()
    this.#onEnd.clear()
    return true
  }

  #pending(
    what: string,
    signal: AbortSignal | undefined,
    start: (resolve: () => void) => Timer,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.ended) return reject(this.#endedError(what))
      const waits = signal && this.#waitsFor(signal)
      const settle = (): void => {
        waits?.delete(aborted)
        this.#onEnd.delete(ended)
        timer.clear()
      }
      const aborted = (): void => {
        settle()
        reject(signal?.reason)
      }
      const ended = (): void => {
        settle()
        reject(this.#endedError(what))
      }
      waits?.add(aborted)
      this.#onEnd.add(ended)
      const timer = start(() => {
        settle()
        resolve()
      })
    })
  }

  #waitsFor(signal: AbortSignal): Set<() => void> {
    const known = this.#waits.get(signal)
    if (known) return known
    const waits = new Set<() => void>()
    this.#waits.set(signal, waits)
    const aborted = (): void => {
      for (const wait of waits) wait()
    }
    signal.addEventListener('abort', aborted, { once: true })
    return waits
  }

  #endedError(what: string): ScopeClosedError {
    const { scope } = this.context
    const reason = scope.signal.aborted ? (scope.signal.reason as CancelledError) : undefined
    return new ScopeClosedError(scope.name, `${what} with '${this.name}'`, reason)
  }
}
