import { Registry, systemClock, type Clock, type Timer } from '../src/scope/index.ts'

export interface FastClockOptions {
  /** How far the clock advances at most per turn of the event loop, which takes a millisecond or longer. Default: 10. */
  readonly step?: number
  /** Default: a registry of its own. */
  readonly timers?: Registry
}

interface FastTimer extends Timer {
  readonly kind: 'timer'
  readonly name: string
  readonly due: number
  readonly callback: () => void
}

/**
 * A clock for tests on real sockets, about `step` times as fast as the system's. It counts turns of the event loop. Both
 * ends of every socket live in this process, so a machine that stalls the process stops this clock, too, and no limit is
 * missed because the machine is busy. Time passes only while a timer is pending.
 */
export class FastClock implements Clock {
  readonly timers: Registry
  readonly #step: number
  readonly #pending = new Set<FastTimer>()
  #now = 0
  #turn: Timer | undefined

  constructor({ step = 10, timers = new Registry() }: FastClockOptions = {}) {
    this.#step = step
    this.timers = timers
  }

  now(): number {
    return this.#now
  }

  date(): number {
    return systemClock.date()
  }

  after(ms: number, name: string, callback: () => void): Timer {
    const timer: FastTimer = {
      kind: 'timer',
      name,
      due: this.#now + Math.max(0, ms),
      callback,
      clear: () => this.#remove(timer),
    }
    this.#pending.add(timer)
    this.timers.add(timer)
    this.#run()
    return timer
  }

  #run(): void {
    if (this.#turn || this.#pending.size === 0) return
    this.#turn = systemClock.after(1, 'a turn of the fast clock', () => {
      this.#turn = undefined
      this.#advance()
      this.#run()
    })
    // The stage checks this clock's own timers for leaks, and no others.
    systemClock.timers.remove(this.#turn as never)
  }

  /** Advances to the next timer, or by a step, and runs the timers that are due in the order in which they were set. */
  #advance(): void {
    const next = Math.min(...[...this.#pending].map(({ due }) => due))
    this.#now = Math.max(this.#now, Math.min(next, this.#now + this.#step))
    for (const timer of [...this.#pending].filter(({ due }) => due <= this.#now)) {
      if (!this.#pending.has(timer)) continue
      this.#remove(timer)
      timer.callback()
    }
  }

  #remove(timer: FastTimer): void {
    this.#pending.delete(timer)
    this.timers.remove(timer)
    if (this.#pending.size > 0) return
    this.#turn?.clear()
    this.#turn = undefined
  }
}
