import type { Clock, Timer } from './clock.ts'
import { describeError } from './describe-error.ts'
import { callOut } from './edge.ts'
import { limits } from './limits.ts'
import { noop } from './noop.ts'
import type { ErrorReport, Problem } from './report.ts'

/** A problem with its time on the scope's clock. */
export interface TimedProblem {
  readonly where: string
  readonly time: number
  readonly error: ErrorReport
}

/**
 * The errors of one scope that no caller can catch. Each goes to `onProblem` and into the report; after the report, to
 * `onLate`.
 *
 * Callbacks of foreign promises hold this object and not the ledger, because a promise that never settles must not keep
 * a closed scope alive (SC9).
 */
export class Problems {
  readonly list: TimedProblem[] = []
  /** Problems that did not fit into the list. */
  omitted = 0
  /** When closing began; the times that `onProblem` gets count from here. */
  askedAt: number | undefined
  readonly #scope: string
  readonly #clock: Clock
  #onProblem: ((problem: Problem, error: unknown) => void) | undefined
  #onLate: ((where: string, error: unknown) => void) | undefined
  /** Calls of `onProblem` since the event loop last turned, as far as that is known. */
  #burst = 0
  #held: { readonly problem: Problem; readonly error: unknown }[] = []
  #turn: Timer | undefined

  constructor(
    scope: string,
    clock: Clock,
    onProblem: ((problem: Problem, error: unknown) => void) | undefined,
  ) {
    this.#scope = scope
    this.#clock = clock
    this.#onProblem = onProblem
  }

  add(where: string, error: unknown): void {
    if (this.#onLate) return this.#onLate(where, error)
    const time = this.#clock.now()
    const described = describeError(error)
    if (this.list.length < limits.reported) this.list.push({ where, time, error: described })
    else this.omitted++
    if (this.#onProblem) this.#notify({ where, at: time - (this.askedAt ?? time), error: described }, error)
  }

  /** The report has been written: from now on errors are late, and nothing of the scope is kept. */
  close(onLate: (where: string, error: unknown) => void): void {
    this.#turn?.clear()
    this.#onLate = onLate
    for (const { problem, error } of this.#held) callOut(() => this.#onProblem?.(problem, error), noop)
    this.#held = []
    this.#onProblem = undefined
  }

  /**
   * Calls `onProblem`. A listener that causes the next problem would call itself without end and starve the event
   * loop, so after `limits.burst` calls the next ones wait for the event loop to turn (SC19).
   */
  #notify(problem: Problem, error: unknown): void {
    if (this.#burst === limits.burst) {
      if (this.#held.length < limits.reported) this.#held.push({ problem, error })
      return
    }
    if (++this.#burst === limits.burst)
      this.#turn = this.#clock.after(0, `problems of '${this.#scope}'`, () => this.#flush())
    callOut(() => this.#onProblem?.(problem, error), noop)
  }

  #flush(): void {
    this.#turn = undefined
    this.#burst = 0
    const held = this.#held
    this.#held = []
    for (const { problem, error } of held) this.#notify(problem, error)
  }
}
