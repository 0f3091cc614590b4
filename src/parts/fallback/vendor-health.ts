/** Why a vendor is asked last, and until when. */
export interface Ailment {
  /** How many times it has failed in a row. */
  failures: number
  /** The time of the clock at which the cool-down ends. */
  until: number
  /** The last failure. */
  error: unknown
  /** The last use that began before the last failure. */
  lastUse: number
}

export interface VendorHealthOptions {
  readonly coolDown?: number | undefined
  readonly maxCoolDown?: number | undefined
}

/**
 * Which vendors of a list have failed lately, for all calls that share the list. A vendor that failed is asked last until
 * its cool-down has passed. The cool-down doubles with each further failure, and the first success ends it. There are no
 * timers: times are compared when a vendor is chosen.
 *
 *   healthy ──failed──▶ cooling down ──time is up──▶ one use tries it, the others wait `within` ──worked──▶ healthy
 *                           ▲                                     │
 *                           └───────────────failed────────────────┘
 */
export class VendorHealth {
  readonly #coolDown: number
  readonly #maxCoolDown: number
  /** By the vendor's index in the list. */
  readonly #ailments = new Map<number, Ailment>()
  #uses = 0

  constructor({ coolDown = 30_000, maxCoolDown = 300_000 }: VendorHealthOptions = {}) {
    this.#coolDown = coolDown
    this.#maxCoolDown = Math.max(coolDown, maxCoolDown)
  }

  /** The vendor's ailment while it cools down. */
  ailmentOf(vendor: number, now: number): Ailment | undefined {
    const ailment = this.#ailments.get(vendor)
    return ailment && ailment.until > now ? ailment : undefined
  }

  /** The vendor to ask first: the first healthy one, or else the one whose cool-down ends soonest. Undefined for none. */
  best(vendors: readonly number[], now: number): number | undefined {
    const endOf = (vendor: number): number => this.ailmentOf(vendor, now)?.until ?? 0
    let best = vendors[0]
    for (const vendor of vendors) if (endOf(vendor) < endOf(best!)) best = vendor
    return best
  }

  /**
   * A use of a vendor begins. If its cool-down has passed, this use finds out whether it works again, and for up to
   * `within` milliseconds other uses ask it last. Returns the number of the use.
   */
  begin(vendor: number, now: number, within: number): number {
    const ailment = this.#ailments.get(vendor)
    if (ailment && ailment.until <= now) ailment.until = now + within
    return ++this.#uses
  }

  /** Returns whether this ends an ailment. A use that began before the last failure does not count. */
  worked(vendor: number, use: number): boolean {
    const ailment = this.#ailments.get(vendor)
    if (!ailment || use <= ailment.lastUse) return false
    return this.#ailments.delete(vendor)
  }

  /**
   * Returns the new ailment. Undefined if the use began before the last failure: many calls that lose their vendor at the
   * same moment are one failure.
   */
  failed(vendor: number, use: number, error: unknown, now: number): Ailment | undefined {
    const before = this.#ailments.get(vendor)
    if (before && use <= before.lastUse) return undefined
    const failures = (before?.failures ?? 0) + 1
    const coolDown = Math.min(this.#coolDown * 2 ** (failures - 1), this.#maxCoolDown)
    const ailment = { failures, until: now + coolDown, error, lastUse: this.#uses }
    this.#ailments.set(vendor, ailment)
    return ailment
  }
}
