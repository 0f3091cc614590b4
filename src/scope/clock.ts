import { Registry, origin, type Live } from './registry.ts'

/** A scheduled callback. Clearing one that has fired, or twice, does nothing. */
export interface Timer {
  clear(): void
}

/** Time, as endwell's own code sees it (SC17). The system's clock is the default; simulations bring their own. */
export interface Clock {
  /** Milliseconds that only go forward; their zero means nothing. */
  now(): number
  /** Milliseconds since 1970, for people. May jump; nothing is decided by it. */
  date(): number
  /** Calls back once, `ms` from now or a little later. It keeps the process alive until then. */
  after(ms: number, name: string, callback: () => void): Timer
  /** The timers that have neither fired nor been cleared. */
  readonly timers: Registry
}

/** The longest delay that timers of the platform take; a longer one would fire at once. */
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

/** The clock of the machine: the one place where endwell touches the platform's time. */
export const systemClock: Clock = new SystemClock()
