import type { Scope, Stop, Timer } from '../scope/index.ts'

export interface ContextSlotsOptions {
  /** How long the vendor may take to confirm a cancel. */
  readonly confirmWithin: number
  /** Called when it has not. */
  readonly expired: (context: string) => void
}

/** Counts the contexts that a vendor has open, and makes speeches wait while there are too many. */
export class ContextSlots {
  readonly #limit: number
  readonly #scope: Scope<string>
  readonly #options: ContextSlotsOptions
  /** Open contexts. Cancelled ones have a timer. */
  readonly #open = new Map<string, Timer | undefined>()
  readonly #waiting = new Set<() => void>()

  constructor(limit: number, scope: Scope<string>, options: ContextSlotsOptions) {
    this.#limit = limit
    this.#scope = scope
    this.#options = options
  }

  /** Waits until another context may be opened, and counts this one. Rejects when `stop` stops. */
  async take(context: string, stop: Stop): Promise<void> {
    while (this.#open.size >= this.#limit && !this.#open.has(context)) {
      let wake: (() => void) | undefined
      const changed = new Promise<void>((resolve) => this.#waiting.add((wake = resolve)))
      try {
        await stop.until(changed)
      } finally {
        if (wake) this.#waiting.delete(wake)
      }
    }
    this.add(context)
  }

  /** Counts a context without waiting. */
  add(context: string): void {
    this.#open.set(context, undefined)
  }

  /** The vendor has closed the context. */
  release(context: string): void {
    this.#open.get(context)?.clear()
    if (this.#open.delete(context)) this.#wake()
  }

  /** The context was cancelled: it counts until the vendor confirms that. */
  cancel(context: string): void {
    if (!this.#open.has(context) || this.#scope.state !== 'live') return
    const { confirmWithin, expired } = this.#options
    const name = 'end of a cancelled context'
    this.#open.set(
      context,
      this.#scope.after(confirmWithin, name, () => expired(context)),
    )
  }

  /** The connection has ended, and all contexts with it. */
  clear(): void {
    for (const timer of this.#open.values()) timer?.clear()
    this.#open.clear()
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
