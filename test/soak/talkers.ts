import { systemClock, type Timer } from '../../src/scope/index.ts'
import type { TwilioCarrier } from '../../src/testing/servers/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import type { Answered } from '../crash/verdict.ts'
import { Talker, type Measured } from './talker.ts'

export interface TalkersOptions {
  readonly carrier: TwilioCarrier
  readonly url: string
  readonly random: SimRandom
  /** Callers at once. */
  readonly size: number
}

/** A duration, and when it was measured. */
export interface Timed {
  readonly at: number
  readonly ms: number
}

/** Milliseconds between two callers who begin. */
const EVERY = 150

/** Keeps a number of callers talking: whenever one leaves, another begins. */
export class Talkers {
  readonly measured: Readonly<Record<Measured, Timed[]>> = { first: [], reply: [], interrupt: [], late: [] }
  /** All callers who have left and were answered. */
  readonly answered: Answered[] = []
  /** All callers who began. */
  begun = 0
  readonly #options: TalkersOptions
  readonly #present = new Set<Talker>()
  /** Callers who vanished, whose socket is open. */
  readonly #vanished = new Set<Talker>()
  #timer: Timer | undefined

  constructor(options: TalkersOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#present.size < this.#options.size) this.#begin()
    this.#timer = systemClock.after(EVERY, 'another caller', () => this.start())
  }

  hangUp(): void {
    this.#timer?.clear()
    for (const talker of this.#present) talker.hangUp()
  }

  abort(): void {
    this.hangUp()
    for (const talker of this.#vanished) talker.abort()
  }

  /** Callers who are connected, including those who have vanished. */
  get size(): number {
    return this.#present.size + this.#vanished.size
  }

  #begin(): void {
    const { size: _, random, ...rest } = this.#options
    this.begun++
    this.#present.add(
      new Talker({
        ...rest,
        random,
        kind: random.chance(0.5) ? 'phone' : 'browser',
        measured: (what, ms) => this.measured[what].push({ at: systemClock.now(), ms }),
        left: (talker) => {
          this.#present.delete(talker)
          this.#vanished.add(talker)
        },
        gone: (talker) => this.#gone(talker),
      }),
    )
  }

  #gone(talker: Talker): void {
    if (!this.#vanished.delete(talker)) return
    const { record } = talker
    if (record.answered) this.answered.push(record)
  }
}
