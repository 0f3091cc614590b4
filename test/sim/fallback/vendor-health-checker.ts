import type { World } from '../../../src/testing/index.ts'

/** The options that every fallback of the simulation has. */
export const times = { firstWithin: 500, coolDown: 1_000, maxCoolDown: 4_000 }

/** One attempt of a call to use a vendor. */
export interface Ask {
  readonly vendor: number
  readonly number: number
  readonly at: number
  /** Whether it finds out whether the vendor works again, so that others have to wait. */
  readonly isTrial: boolean
  ended: boolean
}

/** What a call has asked for since its last answer. */
export interface Round {
  readonly asks: Map<number, Ask>
  /** Whether the round only opens a model, without a request. */
  readonly opensOnly: boolean
  /** The call has cancelled its request, which is no failure of a vendor. */
  isCancelled?: boolean
}

/** What the world itself knows about a vendor, independently of the code under test. */
interface Vendor {
  isSick: boolean
  failures: number
  /** When the cool-down after the last failure ends. */
  until: number
  /** The last ask before the last failure. */
  lastAsk: number
  asks: Ask[]
}

/** Checks in which order vendors are asked (FB1, FB2, FB3). */
export class VendorHealthChecker {
  readonly #world: World
  readonly #vendors: readonly Vendor[]
  #asks = 0

  constructor(world: World, count: number) {
    this.#world = world
    this.#vendors = Array.from({ length: count }, () => ({
      isSick: false,
      failures: 0,
      until: 0,
      lastAsk: 0,
      asks: [],
    }))
  }

  asked(index: number, { asks, opensOnly }: Round): Ask {
    const at = this.#world.clock.now()
    const { isSick, until } = this.#vendors[index]!
    for (const other of this.#vendors.keys())
      if (other !== index && !asks.has(other)) this.#checkChoice(index, other, at)
    const isTrial = isSick && at >= until && !opensOnly
    const ask: Ask = { vendor: index, number: ++this.#asks, at, isTrial, ended: false }
    this.#vendors[index]!.asks.push(ask)
    asks.set(index, ask)
    return ask
  }

  /** Checks that asking `index` was right, although `other` could have been asked. */
  #checkChoice(index: number, other: number, at: number): void {
    const { violate } = this.#world
    const chosen = this.#vendors[index]!
    const spared = this.#vendors[other]!
    const name = `vendor ${index}`
    if (!spared.isSick) {
      if (other < index) violate('FB1', `${name} was asked before vendor ${other}, which is well`)
      if (chosen.isSick && at < chosen.until)
        violate('FB2', `${name} was asked ${chosen.until - at} ms too early, and vendor ${other} is well`)
      if (this.#isTried(chosen, at))
        violate('FB3', `${name} was asked by two calls, and vendor ${other} is well`)
      return
    }
    if (chosen.isSick && at < Math.min(chosen.until, spared.until) && spared.until < chosen.until)
      violate('FB3', `${name} was asked before vendor ${other}, whose time is up sooner`)
    if (other < index && at > spared.until && !this.#isTried(spared, at))
      violate('FB2', `vendor ${other} was not forgiven ${at - spared.until} ms after its time was up`)
  }

  /** Whether a call is finding out whether the vendor works again. */
  #isTried({ isSick, asks, lastAsk }: Vendor, at: number): boolean {
    return (
      isSick && asks.some((ask) => ask.isTrial && ask.number > lastAsk && at < ask.at + times.firstWithin)
    )
  }

  worked(ask: Ask): void {
    const vendor = this.#vendors[ask.vendor]!
    if (ask.number <= vendor.lastAsk) return
    vendor.isSick = false
    vendor.failures = 0
  }

  failed(ask: Ask): void {
    if (ask.ended) return
    ask.ended = true
    const vendor = this.#vendors[ask.vendor]!
    if (vendor.isSick && ask.number <= vendor.lastAsk) return
    vendor.isSick = true
    vendor.failures++
    const coolDown = Math.min(times.coolDown * 2 ** (vendor.failures - 1), times.maxCoolDown)
    vendor.until = this.#world.clock.now() + coolDown
    vendor.lastAsk = this.#asks
    vendor.asks = []
  }
}
