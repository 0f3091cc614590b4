import { Registry, origin, type Live } from './registry.ts'

/** A scheduled callback. Clearing it again, or after it has fired, does nothing. */
export interface Timer {
  clear(): void
}

/** The source of time for endwell's own code (SC17). Default: the system clock; simulations pass their own. */
export interface Clock {
  /** Monotonic milliseconds with an arbitrary zero. */
  now(): number
  /** Milliseconds since 1970, for display only. May jump. */
  date(): number
  /** Calls `callback` once, after at least `ms`. Keeps the process alive until then. */
  after(ms: number, name: string, callback: () => void): Timer
  /** Timers that have neither fired nor been cleared. */
  readonly timers: Registry
}

/** The longest delay a platform timer accepts; it fires at once on a longer one. */
const LONGEST = 2 ** 31 - 1

/** How late a timer must be, in milliseconds, for its process to have been blocked or suspended. */
const BLOCKED = 100

/** Calls back once the event loop of Node has read what has arrived. In a page, messages do not wait for timers. */
const { setImmediate: afterReading = queueMicrotask } = globalThis as {
  setImmediate?: (callback: () => void) => unknown
}

class SystemTimer implements Timer, Live {
  readonly kind = 'timer'
  readonly name: string
  readonly origin = origin()
  readonly #clock: SystemClock
  readonly #callback: () => void
  readonly #due: number
  #handle: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(clock: SystemClock, ms: number, name: string, callback: () => void) {
    this.name = name
    this.#clock = clock
    this.#callback = callback
    this.#due = clock.now() + ms
    clock.timers.add(this)
    this.#arm(ms)
  }

  #arm(ms: number): void {
    if (ms > LONGEST) this.#handle = setTimeout(() => this.#arm(ms - LONGEST), LONGEST)
    else this.#handle = setTimeout(() => this.#elapsed(), ms)
  }

  /**
   * The event loop runs timers before it reads. After the process was blocked or suspended, every timeout would fire, although
   * what it waits for may have arrived in time. So a late timer lets the loop read first, and the timers after it stay behind it.
   */
  #elapsed(): void {
    const clock = this.#clock
    if (clock.behind === 0 && clock.now() - this.#due < BLOCKED) return this.#fire()
    clock.behind++
    afterReading(() => {
      clock.behind--
      this.#fire()
    })
    return undefined
  }

  #fire(): void {
    if (this.#isOver) return
    this.#end()
    this.#callback()
  }

  clear(): void {
    clearTimeout(this.#handle)
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#clock.timers.remove(this)
  }
}

class SystemClock implements Clock {
  readonly timers = new Registry()
  /** How many late timers wait until the event loop has read. */
  behind = 0

  now(): number {
    return performance.now()
  }

  date(): number {
    return Date.now()
  }

  after(ms: number, name: string, callback: () => void): Timer {
    return new SystemTimer(this, ms, name, callback)
  }
}

/** The system clock. Nothing else in endwell touches the platform's time. */
export const systemClock: Clock = new SystemClock()
