import { Registry, creationStacks, type Clock, type Live, type Timer } from '../scope/index.ts'

interface Event extends Timer, Live {
  readonly at: number
  readonly order: number
  readonly callback: () => void
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
  #order = 0

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
    const event = this.#events[0]
    if (!event) return undefined
    event.clear()
    this.#now = Math.max(this.#now, event.at)
    event.callback()
    return event.name
  }

  #schedule(registry: Registry, ms: number, name: string, callback: () => void): Timer {
    const events = this.#events
    const event: Event = {
      kind: 'timer',
      name,
      at: this.#now + Math.max(0, ms),
      order: this.#order++,
      stack: creationStacks.on ? new Error('scheduled').stack : undefined,
      callback,
      clear() {
        registry.remove(event)
        const index = events.indexOf(event)
        if (index >= 0) events.splice(index, 1)
      },
    }
    registry.add(event)
    let index = events.length
    while (index > 0 && events[index - 1]!.at > event.at) index--
    events.splice(index, 0, event)
    return event
  }
}
