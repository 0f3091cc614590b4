import { sine } from '../../src/audio/index.ts'
import { noop, systemClock, type Timer } from '../../src/scope/index.ts'
import type { TwilioCarrier } from '../../src/testing/servers/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import { BrowserCaller } from '../crash/browser-caller.ts'
import type { Answered } from '../crash/verdict.ts'
import { PhoneCaller } from '../crash/phone-caller.ts'

export interface TalkerOptions {
  readonly kind: 'phone' | 'browser'
  readonly carrier: TwilioCarrier
  readonly url: string
  readonly random: SimRandom
  readonly measured: (what: Measured, ms: number) => void
  /** The caller has left. The host may not know it yet. */
  readonly left: (talker: Talker) => void
  /** All connections of the caller have ended. */
  readonly gone: (talker: Talker) => void
}

/**
 * - `first`: from the first ring, or from dialling, to the first sound
 * - `reply`: from the end of a question to the first sound of the answer
 * - `interrupt`: from the start of a question to silence
 * - `late`: sound that came after the caller had heard everything before it
 */
export type Measured = 'first' | 'reply' | 'interrupt' | 'late'

/** Milliseconds of silence before the caller speaks. */
const POLITE = 500
/** How often the caller interrupts an answer. */
const RUDE = 0.3
/** A shorter pause in the agent's speech is late sound. */
const LATE = 400
/** How long the socket of a caller who vanished stays open, in milliseconds. */
const HALF_OPEN = 40_000

/** The sound of a question on the phone. */
const question = sine(440, { sampleRate: 8_000, duration: 500 })

/** How a caller leaves. `vanish` leaves the socket open and says nothing more. */
const ways = {
  phone: { politely: 5, 'without-stop': 1, cut: 2, silently: 1, vanish: 1 },
  browser: { politely: 6, cut: 2, vanish: 1 },
} as const

/** A caller who talks with the agent, interrupts it, and leaves at a random moment in a random way. */
export class Talker {
  readonly #options: TalkerOptions
  readonly #caller: PhoneCaller | BrowserCaller
  readonly #began = systemClock.now()
  readonly #leaves: Timer
  #next: Timer | undefined
  #hasHeard = false
  #isSpeaking = false
  #hasLeft = false
  #hasVanished = false
  #askedAt: number | undefined
  #interruptedAt: number | undefined
  #quietAt: number | undefined

  constructor(options: TalkerOptions) {
    this.#options = options
    const { random, carrier, url, kind } = options
    const base = { url, lifetime: 120_000, changed: () => {} }
    this.#caller =
      kind === 'phone'
        ? new PhoneCaller({ ...base, carrier, onEvent: ({ type }) => this.#on(type) })
        : new BrowserCaller({
            ...base,
            types: '',
            onEvent: (event) => (event.type === 'late' ? this.#late(event.ms) : this.#on(event.type)),
          })
    // One in four leaves within the first moments.
    const stays = random.chance(0.25) ? random.int(0, 600) : random.int(600, 14_000)
    this.#leaves = systemClock.after(stays, 'a caller leaves', () => this.#leave())
  }

  /** What remains of the caller, without the sound that the caller heard. */
  get record(): Answered & { readonly end: string } {
    const { kind, id, answered, over, outages } = this.#caller
    return { kind, id, answered, over, outages, end: '' }
  }

  /** Leaves now, politely. */
  hangUp(): void {
    if (this.#hasLeft) return
    this.#end()
    this.#caller.hangUp()
    this.#finish()
  }

  abort(): void {
    this.#end()
    this.#caller.abort()
  }

  #on(type: string): void {
    if (type === 'ended') return this.#callEnded()
    if (this.#hasLeft) return undefined
    const now = systemClock.now()
    if (type === 'speaks') this.#speaks(now)
    else if (type === 'quiet') this.#quiet(now)
    else if (type === 'cleared') this.#cleared(now)
    return undefined
  }

  #speaks(now: number): void {
    const { measured, random } = this.#options
    this.#isSpeaking = true
    if (!this.#hasHeard) measured('first', now - this.#began)
    else if (this.#askedAt !== undefined) measured('reply', now - this.#askedAt)
    else if (this.#quietAt !== undefined && now - this.#quietAt < LATE) this.#late(now - this.#quietAt)
    this.#hasHeard = true
    this.#askedAt = undefined
    if (random.chance(RUDE)) this.#then(random.int(300, 2_000), () => this.#ask())
    else this.#next?.clear()
  }

  #quiet(now: number): void {
    this.#isSpeaking = false
    this.#quietAt = now
    this.#then(POLITE, () => this.#ask())
  }

  #cleared(now: number): void {
    if (this.#interruptedAt !== undefined) this.#options.measured('interrupt', now - this.#interruptedAt)
    this.#interruptedAt = undefined
    this.#quietAt = undefined
    this.#isSpeaking = false
  }

  #late(ms: number): void {
    this.#isSpeaking = true
    this.#options.measured('late', ms)
  }

  #ask(): void {
    if (this.#hasLeft) return
    const caller = this.#caller
    this.#interruptedAt = this.#isSpeaking ? systemClock.now() : undefined
    this.#quietAt = undefined
    if (caller instanceof BrowserCaller) {
      caller.type('When are you open?')
      return this.#asked()
    }
    return void caller.call.says(question).then(() => this.#asked(), noop)
  }

  #asked(): void {
    this.#askedAt = systemClock.now()
  }

  #then(ms: number, run: () => void): void {
    this.#next?.clear()
    if (!this.#hasLeft) this.#next = systemClock.after(ms, 'a caller', run)
  }

  #leave(): void {
    const { random } = this.#options
    const caller = this.#caller
    this.#end()
    if (caller instanceof BrowserCaller) {
      const way = random.weighted(ways.browser)
      if (way === 'vanish') return this.#vanish()
      if (way === 'cut') caller.abort()
      else caller.hangUp()
      return this.#finish()
    }
    const way = random.weighted(ways.phone)
    if (way === 'vanish') return this.#vanish()
    caller.call.hangUp(way)
    return this.#finish()
  }

  #vanish(): void {
    const caller = this.#caller
    if (caller instanceof BrowserCaller) caller.freeze()
    else caller.call.freeze()
    this.#hasVanished = true
    this.#options.left(this)
    this.#next = systemClock.after(HALF_OPEN, 'a caller who vanished', () => caller.abort())
  }

  #callEnded(): void {
    if (!this.#hasLeft) {
      this.#end()
      this.#finish()
    } else if (this.#hasVanished) {
      this.#next?.clear()
      this.#options.gone(this)
    }
  }

  #finish(): void {
    this.#options.left(this)
    this.#options.gone(this)
  }

  #end(): void {
    this.#hasLeft = true
    this.#leaves.clear()
    this.#next?.clear()
  }
}
