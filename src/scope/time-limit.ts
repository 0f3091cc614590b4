import type { Timer } from './clock.ts'
import { noop } from './noop.ts'
import type { TaskContext } from './scope.ts'
import type { Stop } from './stop.ts'

/**
 * Limits how long a source may be silent: `until` rejects if the first value does not come within `ms` of the construction,
 * or a later one within `ms` of the one before. Pass it to `iterate`. One timer serves all values. Call `release()` when the
 * source has ended.
 */
export class TimeLimit implements Stop {
  readonly #task: TaskContext
  readonly #ms: number
  readonly #error: () => Error
  /** When the next value must have come. Infinity while none is awaited. */
  #due = Infinity
  #firstBy: number | undefined
  #timer: Timer | undefined
  #reject: ((error: unknown) => void) | undefined
  /** Called when the time is up, before `until` rejects: stops the source. */
  onTimeout: (error: Error) => void = noop

  constructor(task: TaskContext, ms: number, error: () => Error) {
    this.#task = task
    this.#ms = ms
    this.#error = error
    this.#firstBy = this.#now + ms
  }

  get scope(): TaskContext['scope'] {
    return this.#task.scope
  }

  /** The first value has come. */
  begun(): void {
    this.#firstBy = undefined
  }

  readonly until = <T>(promise: PromiseLike<T>): Promise<T> => {
    this.#due = this.#firstBy ?? this.#now + this.#ms
    if (!this.#timer) this.#arm()
    const timely = new Promise<T>((resolve, reject) => {
      this.#reject = reject
      promise.then(resolve, reject)
    })
    const settled = (): void => {
      this.#due = Infinity
    }
    timely.then(settled, settled)
    return this.#task.until(timely)
  }

  release(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }

  get #now(): number {
    return this.scope.clock.now()
  }

  #arm(): void {
    this.#timer = this.scope.after(Math.max(0, this.#due - this.#now), 'time limit', () => {
      this.#timer = undefined
      if (this.#due === Infinity) return
      if (this.#due > this.#now) return this.#arm()
      const error = this.#error()
      this.onTimeout(error)
      this.#reject?.(error)
    })
  }
}
