import type { Clock, Timer } from '../../scope/index.ts'
import { limits } from './limits.ts'

export interface RoomsOptions {
  readonly clock: Clock
  /** Calls per worker. */
  readonly capacity: number
  /** The names of the call workers that are ready. */
  readonly ready: () => readonly string[]
  /** Whether another worker will be ready soon. */
  readonly grows: () => boolean
  /** Called when the number of calls that wait for a worker has changed. */
  readonly waiting: (count: number) => void
}

interface Room {
  calls: number
  /** When the promises of places expire, the oldest first. */
  promises: number[]
  /** The worker has said that it has no room, which is believed until then. */
  fullUntil: number
}

interface Waiter {
  readonly found: (worker: string | undefined) => void
  readonly timer: Timer
}

/**
 * Finds a worker with room for a call that another worker has no room for (HO40). A place is promised: it counts as taken
 * until the worker reports the call, or until the promise expires. If there is no place but more workers will be ready, the
 * call waits for one of them.
 */
export class Rooms {
  readonly #options: RoomsOptions
  readonly #rooms = new Map<string, Room>()
  #waiters: Waiter[] = []

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  /** Whether a worker has room, as far as is known here. */
  hasRoom(worker: string): boolean {
    const room = this.#rooms.get(worker)
    if (!room) return true
    const now = this.#options.clock.now()
    room.promises = room.promises.filter((expires) => expires > now)
    return room.fullUntil <= now && taken(room) < this.#options.capacity
  }

  /** Whether a call that `asker` has no room for would find a worker. */
  hasRoomBeside(asker: string): boolean {
    const { ready, grows } = this.#options
    this.#full(asker)
    return grows() || ready().some((worker) => this.hasRoom(worker))
  }

  /** Finds a worker for a call that `asker` has no room for. Calls `found` without a worker if there is none. */
  find(asker: string, found: (worker: string | undefined) => void): void {
    const { clock, grows } = this.#options
    this.#full(asker)
    const worker = this.#promise()
    if (worker !== undefined || !grows() || this.#waiters.length >= limits.waiting) return found(worker)
    const waiter: Waiter = {
      found,
      timer: clock.after(limits.room, 'a worker with room', () => this.#giveUp(waiter)),
    }
    this.#waiters.push(waiter)
    return this.#options.waiting(this.#waiters.length)
  }

  /** Resolves to the worker that `find` finds. */
  place(asker: string): Promise<string | undefined> {
    return new Promise((resolve) => this.find(asker, resolve))
  }

  /** A worker has reported the number of its calls. */
  counted(worker: string, calls: number): void {
    const room = this.#roomOf(worker)
    if (calls < room.calls) room.fullUntil = 0
    room.promises.splice(0, Math.max(0, calls - room.calls))
    room.calls = calls
    this.look()
  }

  /** A worker has exited. */
  forget(worker: string): void {
    this.#rooms.delete(worker)
    this.look()
  }

  /** Something has changed: looks for places for the calls that wait. */
  look(): void {
    const before = this.#waiters
    if (before.length === 0) return
    this.#waiters = []
    const left = before.filter(({ found, timer }) => {
      const worker = this.#promise()
      if (worker === undefined && this.#options.grows()) return true
      timer.clear()
      found(worker)
      return false
    })
    // `found` may have brought calls back.
    this.#waiters = [...left, ...this.#waiters]
    if (this.#waiters.length !== before.length) this.#options.waiting(this.#waiters.length)
  }

  /** No call waits any longer. */
  close(): void {
    for (const { timer, found } of this.#waiters.splice(0)) {
      timer.clear()
      found(undefined)
    }
  }

  #full(worker: string): void {
    const { clock, ready } = this.#options
    if (ready().includes(worker)) this.#roomOf(worker).fullUntil = clock.now() + limits.full
  }

  #giveUp(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((each) => each !== waiter)
    this.#options.waiting(this.#waiters.length)
    waiter.found(undefined)
  }

  /** Promises a place in the worker with the fewest calls. */
  #promise(): string | undefined {
    const { clock, ready } = this.#options
    const [worker] = ready()
      .filter((name) => this.hasRoom(name))
      .toSorted((one, other) => taken(this.#roomOf(one)) - taken(this.#roomOf(other)))
    if (worker !== undefined) this.#roomOf(worker).promises.push(clock.now() + limits.promise)
    return worker
  }

  #roomOf(worker: string): Room {
    const room = this.#rooms.get(worker) ?? { calls: 0, promises: [], fullUntil: 0 }
    this.#rooms.set(worker, room)
    return room
  }
}

const taken = ({ calls, promises }: Room): number => calls + promises.length
