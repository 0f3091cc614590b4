import { noop, systemClock, type Clock } from '../scope/index.ts'
import { drain } from './drain.ts'
import { StuckError, Watched, type Waiting, type Pace } from './pace.ts'

/**
 * Real time, for what virtual time cannot wait for. It cannot know that a wait will never end, so each wait has a time
 * limit, `patience`. Conditions are checked on each call of `changed()`; there is no polling.
 */
export class RealTime implements Pace {
  readonly clock: Clock = systemClock
  readonly #patience: number
  readonly #checks = new Set<() => void>()

  constructor(patience: number) {
    this.#patience = patience
  }

  async run<T>(promise: PromiseLike<T>, waiting: Waiting): Promise<T> {
    const watched = new Watched(promise, () => this.changed())
    await this.until(() => watched.settled, waiting)
    return watched.outcome
  }

  until(met: () => boolean, waiting: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer.clear()
        this.#checks.delete(check)
        settle()
      }
      const limit = this.#patience + (waiting.takes ?? 0)
      const timer = this.clock.after(limit, `time limit of ${waiting.what}`, () =>
        end(() => reject(new StuckError(`it did not happen within ${limit} ms`, waiting))),
      )
      const check = (): void => {
        try {
          if (met()) end(resolve)
        } catch (error) {
          end(() => reject(error))
        }
      }
      this.#checks.add(check)
      this.changed()
    })
  }

  changed(): void {
    if (this.#checks.size === 0) return
    drain()
      .then(() => {
        for (const check of this.#checks) check()
      })
      .catch(noop)
  }
}
