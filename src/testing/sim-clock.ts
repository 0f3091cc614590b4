import { Registry, origin, type Clock, type Live, type Timer } from '../scope/index.ts'

interface Event extends Timer, Live {
  readonly at: number
  readonly callback: () => void
  /** Cleared events stay in their place until their turn comes: looking for them would cost more. */
  cleared: boolean
}

/** Where virtual time begins for people: an arbitrary but fixed date, so that reports are the same in every run. */
const EPOCH = Date.UTC(2026, 0, 1)

/** Virtual time: it stands still until the next event is taken, and then jumps there. */
export class SimClock implements Clock {
  readonly timers = new Registry()
  /** Timers of the world around the code under test: they are not the code's leaks. */
  readonly outside = new Registry()
  readonly #events: Event[] = []
  #now = 0

  now(): number {
    return this.#now
  }

  date(): number {
    return EPOCH + this.#now
  }

  after(ms: number, name: string, callback: () => void): Timer {
    return this.#schedule(this.timers, ms, name, callback)
  }

  /** Like `after`, for what happens in the world: a caller speaks, a server answers, a fault strikes. */
  happen(ms: number, name: string, callback: () => void): Timer {
    return this.#schedule(this.outside, ms, name, callback)
  }

  /** A promise kept by the world. */
  elapse(ms: number, name = 'time passes'): Promise<void> {
    return new Promise((resolve) => {
      this.happen(ms, name, resolve)
    })
  }

  /** Time leaps ahead, as when a machine wakes from sleep: everything due in between is late. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** Goes to the next event and lets it happen. Returns its name, or undefined if nothing is to come. */
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
      origin: origin(),
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

  /** The latest stands first, so that the next is taken from the end; of two at one time, the older comes first. */
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
