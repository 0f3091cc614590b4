import type { Timer } from './clock.ts'
import { noop } from './noop.ts'
import type { TaskContext } from './scope.ts'
import type { Stop } from './stop.ts'

/**
 * Limits how long a source may take: `until` rejects if `moved()` was not called for `ms`. Pass it to `iterate`, and call
 * `moved()` for each value that counts. One timer serves all values. Call `release()` when the source has ended.
 */
export class TimeLimit implements Stop {
  readonly #task: TaskContext
  readonly #ms: number
  readonly #error: () => Error
  /** Whether a value is awaited. */
  #waits = false
  #due: number
  #timer: Timer | undefined
  #reject: ((error: unknown) => void) | undefined
  /** Called when the time is up, before `until` rejects: stops the source. */
  onTimeout: (error: Error) => void = noop

  constructor(task: TaskContext, ms: number, error: () => Error) {
    this.#task = task
    this.#ms = ms
    this.#error = error
    this.#due = this.#now + ms
  }

  get scope(): TaskContext['scope'] {
    return this.#task.scope
  }

  /** The source has made progress. */
  moved(): void {
    this.#due = this.#now + this.#ms
  }

  readonly until = <T>(promise: PromiseLike<T>): Promise<T> => {
    this.#waits = true
    if (!this.#timer) this.#arm()
    const timely = new Promise<T>((resolve, reject) => {
      this.#reject = reject
      promise.then(resolve, reject)
    })
    const settled = (): void => {
      this.#waits = false
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
    // A closing scope cancels the task, which ends the wait.
    if (this.scope.state !== 'live') return
    this.#timer = this.scope.after(Math.max(0, this.#due - this.#now), 'time limit', () => {
      this.#timer = undefined
      if (!this.#waits) return
      if (this.#due > this.#now) return this.#arm()
      const error = this.#error()
      this.onTimeout(error)
      this.#reject?.(error)
    })
  }
}
