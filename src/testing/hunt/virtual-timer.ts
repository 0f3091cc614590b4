import { AsyncResource } from 'node:async_hooks'
import type { Timer } from '../../scope/index.ts'
import type { SimClock } from '../sim-clock.ts'

export interface VirtualTimerOptions {
  readonly ms: number
  readonly repeats: boolean
  readonly callback: () => unknown
  /** Called when it has fired for the last time, or was cleared. */
  readonly ended: (timer: VirtualTimer) => void
  /** Called with what the callback throws. */
  readonly failed: (error: unknown) => void
  /** Where it was started, if that is recorded. */
  readonly stack: string | undefined
}

let lastId = 0
const byId = new Map<number, VirtualTimer>()

/** Finds a timer by what `clearTimeout` may be given: the timer, or its number. */
export function virtualTimerOf(handle: unknown): VirtualTimer | undefined {
  if (handle instanceof VirtualTimer) return handle
  return typeof handle === 'number' || typeof handle === 'string' ? byId.get(Number(handle)) : undefined
}

/** A timeout, interval or immediate of hunted code, on a virtual clock. Has the methods of Node's own. */
export class VirtualTimer {
  readonly ms: number
  readonly repeats: boolean
  readonly stack: string | undefined
  readonly #id = ++lastId
  readonly #clock: SimClock
  readonly #options: VirtualTimerOptions
  readonly #fire: () => void
  #timer: Timer | undefined
  #ref = true

  constructor(clock: SimClock, options: VirtualTimerOptions) {
    this.#clock = clock
    this.#options = options
    // Node takes anything that is not a number of milliseconds for 1.
    this.ms = options.ms >= 1 && options.ms <= 2 ** 31 - 1 ? options.ms : options.ms === 0 ? 0 : 1
    this.repeats = options.repeats
    this.stack = options.stack
    // Node's timers keep the async context of the code that started them.
    this.#fire = AsyncResource.bind(() => this.#run(), 'hunted timer')
    byId.set(this.#id, this)
    this.#arm()
  }

  ref(): this {
    this.#ref = true
    return this
  }

  unref(): this {
    this.#ref = false
    return this
  }

  hasRef(): boolean {
    return this.#ref
  }

  refresh(): this {
    this.#timer?.clear()
    byId.set(this.#id, this)
    this.#arm()
    return this
  }

  close(): this {
    this.#timer?.clear()
    this.#end()
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.#id
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #arm(): void {
    this.#timer = this.#clock.happen(this.ms, 'a timer of the agent', this.#fire)
  }

  #run(): void {
    if (this.repeats) this.#arm()
    else this.#end()
    try {
      this.#options.callback()
    } catch (error) {
      this.#options.failed(error)
    }
  }

  #end(): void {
    byId.delete(this.#id)
    this.#options.ended(this)
  }
}
