import type { Clock, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'

/** What a server does over time. Yields the milliseconds until the next step; `Infinity` stops it for good. */
export type Timeline = Generator<number, void>

/** Runs a timeline on a clock until it ends or is stopped. */
export class TimelineRun {
  readonly #clock: Clock
  readonly #name: string
  readonly #timeline: Timeline
  #timer: Timer | undefined
  #ended = false

  constructor(clock: Clock, name: string, timeline: Timeline) {
    this.#clock = clock
    this.#name = name
    this.#timeline = timeline
    this.#continue()
  }

  /** May be called from within the timeline. */
  stop(): void {
    this.#ended = true
    this.#timer?.clear()
  }

  get ended(): boolean {
    return this.#ended
  }

  #continue(): void {
    while (!this.#ended) {
      const { done, value } = this.#timeline.next()
      if (done) this.#ended = true
      else if (value === Infinity) return
      else if (value > 0 && !this.#ended) {
        this.#timer = outsideTimer(this.#clock, value, this.#name, () => this.#continue())
        return
      }
    }
  }
}
