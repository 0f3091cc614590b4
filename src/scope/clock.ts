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

class SystemTimer implements Timer, Live {
  readonly kind = 'timer'
  readonly name: string
  readonly origin = origin()
  readonly #registry: Registry
  readonly #callback: () => void
  #handle: ReturnType<typeof setTimeout> | undefined

  constructor(registry: Registry, ms: number, name: string, callback: () => void) {
    this.name = name
    this.#registry = registry
    this.#callback = callback
    registry.add(this)
    this.#arm(ms)
  }

  #arm(ms: number): void {
    if (ms > LONGEST) this.#handle = setTimeout(() => this.#arm(ms - LONGEST), LONGEST)
    else this.#handle = setTimeout(() => this.#fire(), ms)
  }

  #fire(): void {
    this.#registry.remove(this)
    this.#callback()
  }

  clear(): void {
    clearTimeout(this.#handle)
    this.#registry.remove(this)
  }
}

class SystemClock implements Clock {
  readonly timers = new Registry()

  now(): number {
    return performance.now()
  }

  date(): number {
    return Date.now()
  }

  after(ms: number, name: string, callback: () => void): Timer {
    return new SystemTimer(this.timers, ms, name, callback)
  }
}

/** The system clock. Nothing else in endwell touches the platform's time. */
export const systemClock: Clock = new SystemClock()
