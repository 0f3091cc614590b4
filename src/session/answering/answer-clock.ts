import { noop, type Stop, type TaskContext, type Timer } from '../../scope/index.ts'
import { AnswerTimeoutError } from '../errors.ts'

/**
 * Limits how long a model may be silent while it answers (FA1). `until` rejects if the model has not begun within
 * `answerTimeout` of the construction, or does not go on within `answerTimeout` of its last chunk. One timer is used for
 * all chunks. Call `release()` when the answer has ended.
 */
export class AnswerClock implements Stop {
  readonly #task: TaskContext
  readonly #part: string
  readonly #answerTimeout: number
  /** When the next chunk must have arrived. Infinity while none is awaited. */
  #due = Infinity
  #firstBy: number | undefined
  #timer: Timer | undefined
  #reject: ((error: unknown) => void) | undefined
  /** Stops the model. */
  onTimeout: (error: AnswerTimeoutError) => void = noop

  constructor(task: TaskContext, part: string, answerTimeout: number) {
    this.#task = task
    this.#part = part
    this.#answerTimeout = answerTimeout
    this.#firstBy = this.#now + answerTimeout
  }

  get scope(): TaskContext['scope'] {
    return this.#task.scope
  }

  /** The model has begun to answer. */
  begun(): void {
    this.#firstBy = undefined
  }

  readonly until = <T>(promise: PromiseLike<T>): Promise<T> => {
    this.#due = this.#firstBy ?? this.#now + this.#answerTimeout
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
    this.#timer = this.scope.after(Math.max(0, this.#due - this.#now), 'answer timeout', () => {
      this.#timer = undefined
      if (this.#due === Infinity) return
      if (this.#due > this.#now) return this.#arm()
      const error = new AnswerTimeoutError(this.#part, this.#answerTimeout)
      this.onTimeout(error)
      this.#reject?.(error)
    })
  }
}
