import { Registry, type Clock, type Live, type Timer } from '../scope/index.ts'

interface Event extends Timer, Live {
  readonly at: number
  readonly callback: () => void
  /** Cleared events stay in the queue until they are due: removing them would cost more. */
  cleared: boolean
}

/** The default date at which virtual time begins: arbitrary but fixed, so that reports are the same in every run. */
const EPOCH = Date.UTC(2026, 0, 1)

export interface SimClockOptions {
  /** The date at which virtual time begins, in milliseconds since 1970. Default: 1 January 2026. */
  epoch?: number
}

/** A virtual clock. Time stands still and jumps from one event to the next. */
export class SimClock implements Clock {
  readonly timers = new Registry()
  /** Timers outside the code under test, such as those of a simulated server. They do not count as leaks. */
  readonly outside = new Registry()
  readonly #events: Event[] = []
  readonly #epoch: number
  #now = 0

  constructor({ epoch = EPOCH }: SimClockOptions = {}) {
    this.#epoch = epoch
  }

  now(): number {
    return this.#now
  }

  date(): number {
    return this.#epoch + this.#now
  }

  after(ms: number, name: string, callback: () => void): Timer {
    return this.#schedule(this.timers, ms, name, callback)
  }

  /** Like `after`, for events outside the code under test: a caller speaks, a server answers. */
  happen(ms: number, name: string, callback: () => void): Timer {
    return this.#schedule(this.outside, ms, name, callback)
  }

  /** Resolves after this many milliseconds. The timer is outside the code under test. */
  elapse(ms: number, name = 'time passes'): Promise<void> {
    return new Promise((resolve) => {
      this.happen(ms, name, resolve)
    })
  }

  /** Jumps ahead without running the events in between, as after a computer's sleep: they run late. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** When the next event is due. Undefined if there is none. */
  get nextAt(): number | undefined {
    for (;;) {
      const event = this.#events.at(-1)
      if (event?.cleared !== true) return event?.at
      this.#events.pop()
    }
  }

  /** Advances to the next event and runs it. Returns its name, or undefined if there is none. */
  step(): string | undefined {
    for (;;) {
      const event = this.#events.pop()
      if (!event) return undefined
      if (event.cleared) continue
      event.clear()
      this.#now = Math.max(this.#now, event.at)
      event.callback()
      return event.name
    }
  }

  #schedule(registry: Registry, ms: number, name: string, callback: () => void): Timer {
    const event: Event = {
      kind: 'timer',
      name,
      at: this.#now + Math.max(0, ms),
      callback,
      cleared: false,
      clear() {
        event.cleared = true
        registry.remove(event)
      },
    }
    registry.add(event)
    this.#events.splice(this.#place(event.at), 0, event)
    return event
  }

  /** The queue is sorted latest first, so that the next event is popped from its end. Ties run in order of creation. */
  #place(at: number): number {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#events[middle]!.at > at) low = middle + 1
      else high = middle
    }
    return low
  }
}
