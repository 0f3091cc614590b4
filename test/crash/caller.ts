/** One call from the caller's side. */
export interface Caller {
  readonly kind: 'phone' | 'browser'
  /** The name of the call. Empty until it is known. */
  readonly id: string
  /** Whether the caller heard anything, or the page was greeted. */
  readonly answered: boolean
  /** Whether the caller has hung up, or was hung up on. */
  readonly over: boolean
  /** When the connection broke, and when the caller heard the agent again. */
  readonly outages: readonly Outage[]
  /** How the call ended for the caller. */
  readonly end: string
  hangUp(): void
  /** Cuts all connections. */
  abort(): void
}

export interface Outage {
  readonly from: number
  /** Absent if the caller never heard the agent again. */
  until?: number
}

/** Keeps the outages of one caller. */
export class Outages {
  readonly list: Outage[] = []
  #open: Outage | undefined

  broke(now: number): void {
    if (this.#open) return
    this.#open = { from: now }
    this.list.push(this.#open)
  }

  heard(now: number): void {
    if (this.#open) this.#open.until = now
    this.#open = undefined
  }
}
