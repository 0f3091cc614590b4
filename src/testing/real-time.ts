import { noop, systemClock, type Clock } from '../scope/index.ts'
import { drain } from './drain.ts'
import { StuckError, Watched, type Waiting, type Pace } from './pace.ts'

/**
 * Real time, for what virtual time cannot wait for. Nobody can know here that something will never come, so each wait
 * has a limit: `patience`. It looks again whenever it is told of a change, and never on its own.
 */
export class RealTime implements Pace {
  readonly clock: Clock = systemClock
  readonly #patience: number
  readonly #looks = new Set<() => void>()

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
        this.#looks.delete(look)
        settle()
      }
      const limit = this.#patience + (waiting.takes ?? 0)
      const timer = this.clock.after(limit, `patience with ${waiting.what}`, () =>
        end(() => reject(new StuckError(`not after ${limit} ms of real time`, waiting))),
      )
      const look = (): void => {
        try {
          if (met()) end(resolve)
        } catch (error) {
          end(() => reject(error))
        }
      }
      this.#looks.add(look)
      this.changed()
    })
  }

  changed(): void {
    if (this.#looks.size === 0) return
    drain()
      .then(() => {
        for (const look of this.#looks) look()
      })
      .catch(noop)
  }
}
