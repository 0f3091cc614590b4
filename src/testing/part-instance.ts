import type { ConnectionReport, PartContext } from '../parts/index.ts'
import { ScopeClosedError, type CancelledError, type Clock, type Timer } from '../scope/index.ts'
import { outsideTimer } from './outside-timer.ts'

/** One living thing of a scripted part: its time, and whether it still lives. */
export class PartInstance {
  readonly name: string
  readonly context: PartContext
  state: 'open' | 'closing' | 'ended' = 'open'
  readonly #timers = new Set<Timer>()
  readonly #onEnd = new Set<() => void>()
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

  /** Its connection is over; the first to say so says how. */
  disconnected(how: ConnectionReport['how']): void {
    if (!this.#connected) return
    this.#connected = false
    this.context.ended({ name: this.name, how, retries: 0 })
  }

  /** Something that happens in the world, unless this has ended by then. */
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

  /** Throws what waiting would throw now. */
  check(what: string, signal?: AbortSignal): void {
    signal?.throwIfAborted()
    if (this.ended) throw this.#endedError(what)
  }

  /** Waits in the world's time. Throws the signal's reason when it aborts, and `ScopeClosedError` at the end. */
  wait(ms: number, what: string, signal?: AbortSignal): Promise<void> {
    return this.#pending(what, signal, (resolve) => this.after(ms, what, resolve))
  }

  /** Waits for ever, or until the signal aborts or this ends. */
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

  /** Ends it, once; everything that waits on it throws. Returns whether this was the time. */
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
      const settle = (): void => {
        signal?.removeEventListener('abort', aborted)
        offEnd()
        timer.clear()
      }
      const aborted = (): void => {
        settle()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', aborted, { once: true })
      const offEnd = this.onEnd(() => {
        settle()
        reject(this.#endedError(what))
      })
      const timer = start(() => {
        settle()
        resolve()
      })
    })
  }

  #endedError(what: string): ScopeClosedError {
    const { scope } = this.context
    const reason = scope.signal.aborted ? (scope.signal.reason as CancelledError) : undefined
    return new ScopeClosedError(scope.name, `${what} with '${this.name}'`, reason)
  }
}
