import type { PartContext } from '../parts/index.ts'
import { ScopeClosedError, type CancelledError, type Clock, type Timer } from '../scope/index.ts'
import { inTheWorld, never } from './world-time.ts'

/** How a scripted part behaves when it is opened and ended. Unset means politely and at once. */
export interface PartManners {
  /** The name of its resource, by which faults are injected (`open:stt`, `close:stt`). */
  name?: string
  /** Milliseconds until it is open. */
  openTakes?: number
  /** It never opens and ignores its signal. */
  openHangs?: boolean
  /** It cannot be opened: this is thrown. */
  openFails?: unknown
  /** Milliseconds that its `close()` takes. */
  closeTakes?: number
  /** Its `close()` never settles. */
  closeHangs?: boolean
  /** Its `close()` rejects with this. */
  closeFails?: unknown
}

/** How many living things a part has made, and how they ended. */
export interface PartCounts {
  /** How often somebody asked. */
  readonly asked: number
  readonly opened: number
  readonly closed: number
  readonly aborted: number
  /** Open now. */
  readonly live: number
}

/** Counts for one part, and opens its living things in the scope they belong to. */
export class PartLives implements PartCounts {
  readonly name: string
  asked = 0
  opened = 0
  closed = 0
  aborted = 0
  readonly #manners: PartManners

  constructor(name: string, manners: PartManners) {
    this.name = manners.name ?? name
    this.#manners = manners
  }

  get live(): number {
    return this.opened - this.closed - this.aborted
  }

  /** Opens what `make` makes as a resource of the context's scope. */
  open<T extends object>(context: PartContext, make: (life: PartLife) => T): Promise<T> {
    this.asked++
    const life = new PartLife(this.name, context)
    return context.scope.open(
      this.name,
      async (signal) => {
        await this.#opening(life, signal)
        this.opened++
        return make(life)
      },
      {
        closing: (_, reason) => life.tell(reason),
        close: () => this.#close(life),
        abort: () => this.#end(life, 'aborted'),
      },
    )
  }

  async #opening(life: PartLife, signal: AbortSignal): Promise<void> {
    const { openTakes = 0, openHangs = false, openFails } = this.#manners
    if (openHangs) await never()
    if (openTakes > 0) await life.wait(openTakes, 'opens', signal)
    if (openFails !== undefined) throw openFails
  }

  async #close(life: PartLife): Promise<void> {
    const { closeTakes = 0, closeHangs = false, closeFails } = this.#manners
    if (closeHangs) await never()
    if (closeTakes > 0) await life.wait(closeTakes, 'closes')
    if (closeFails !== undefined) throw closeFails
    this.#end(life, 'closed')
  }

  #end(life: PartLife, how: 'closed' | 'aborted'): void {
    if (life.end()) this[how]++
  }
}

/** One living thing of a scripted part: its time, and whether it still lives. */
export class PartLife {
  readonly name: string
  readonly context: PartContext
  state: 'open' | 'closing' | 'over' = 'open'
  readonly #timers = new Set<Timer>()
  readonly #onEnd = new Set<() => void>()
  readonly #onClosing = new Set<(reason: CancelledError) => void>()

  constructor(name: string, context: PartContext) {
    this.name = name
    this.context = context
  }

  get clock(): Clock {
    return this.context.scope.clock
  }

  get over(): boolean {
    return this.state === 'over'
  }

  /** Something that happens in the world, unless this has ended by then. */
  after(ms: number, what: string, callback: () => void): Timer {
    const timer = inTheWorld(this.clock, ms, `${this.name}: ${what}`, () => {
      this.#timers.delete(own)
      callback()
    })
    const own: Timer = {
      clear: () => {
        this.#timers.delete(own)
        timer.clear()
      },
    }
    if (!this.over) this.#timers.add(own)
    else timer.clear()
    return own
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
  tell(reason: CancelledError): void {
    if (this.over) return
    this.state = 'closing'
    for (const callback of this.#onClosing) callback(reason)
  }

  /** Ends it, once; everything that waits on it throws. Returns whether this was the time. */
  end(): boolean {
    if (this.over) return false
    this.state = 'over'
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
      if (this.over) return reject(this.#ended(what))
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
        reject(this.#ended(what))
      })
      const timer = start(() => {
        settle()
        resolve()
      })
    })
  }

  #ended(what: string): ScopeClosedError {
    const { scope } = this.context
    const reason = scope.signal.aborted ? (scope.signal.reason as CancelledError) : undefined
    return new ScopeClosedError(scope.name, `${what} with '${this.name}'`, reason)
  }
}
