import { systemClock, type Timer } from '../../src/scope/index.ts'
import type { TwilioCarrier } from '../../src/testing/servers/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import { BrowserCaller } from './browser-caller.ts'
import type { Caller } from './caller.ts'
import { PhoneCaller } from './phone-caller.ts'

export interface CrowdOptions {
  readonly carrier: TwilioCarrier
  readonly url: string
  readonly random: SimRandom
  /** Callers at once. */
  readonly size: number
  /** The share of callers who use the phone. Default: two thirds. */
  readonly phones?: number
  /** How long a caller stays, in milliseconds. */
  readonly lifetime: readonly [least: number, most: number]
  readonly changed: () => void
}

/** Milliseconds between two callers who begin. */
const EVERY = 100

/** Keeps a number of calls going: whenever one ends, another begins. */
export class Crowd {
  /** All callers since the start. */
  readonly all: Caller[] = []
  readonly #options: CrowdOptions
  #open = true
  #timer: Timer | undefined

  constructor(options: CrowdOptions) {
    this.#options = options
    this.#fill()
  }

  get present(): readonly Caller[] {
    return this.all.filter(({ over }) => !over)
  }

  /** Callers who talk with the agent. */
  get talking(): readonly Caller[] {
    return this.present.filter(({ answered, outages }) => answered && isWhole(outages))
  }

  get answered(): readonly Caller[] {
    return this.all.filter(({ answered }) => answered)
  }

  /** No more callers begin. Those who are there may stay. */
  stop(): void {
    this.#open = false
    this.#timer?.clear()
  }

  hangUp(): void {
    this.stop()
    for (const caller of this.present) caller.hangUp()
  }

  abort(): void {
    this.stop()
    for (const caller of this.present) caller.abort()
  }

  #fill(): void {
    const { size, random, phones = 2 / 3, lifetime, ...rest } = this.#options
    if (this.present.length < size) {
      const options = { ...rest, lifetime: random.int(...lifetime) }
      this.all.push(random.chance(phones) ? new PhoneCaller(options) : new BrowserCaller(options))
    }
    if (this.#open) this.#timer = systemClock.after(EVERY, 'another caller', () => this.#fill())
  }
}

const isWhole = (outages: Caller['outages']): boolean =>
  outages.at(-1)?.until !== undefined || outages.length === 0
