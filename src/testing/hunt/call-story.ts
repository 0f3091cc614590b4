import { describeError } from '../../scope/index.ts'
import type { SimClock } from '../sim-clock.ts'
import { Trace } from '../trace.ts'
import type { Anchor } from './call-record.ts'
import type { CodeRun } from './code-run.ts'
import type { Moment } from './conversation.ts'
import { limits } from './limits.ts'

/** The story of one call. Its anchors are the lines at which other calls of the same conversation are ended. */
export class CallStory {
  readonly anchors: Anchor[] = []
  readonly #trace = new Trace()
  readonly #clock: SimClock
  readonly #isBusy: () => boolean
  readonly #times = new Map<string, number>()
  #waited: { readonly moment: Moment; readonly callback: () => void } | undefined

  constructor(clock: SimClock, isBusy: () => boolean) {
    this.#clock = clock
    this.#isBusy = isBusy
  }

  get text(): string {
    return this.#trace.story
  }

  tell(text: string): void {
    if (this.#trace.length < limits.story) this.#trace.add(this.#clock.now(), text)
  }

  /** Adds a line that can be waited for. `detail` may differ from call to call. */
  anchor(text: string, detail?: string): void {
    const nth = (this.#times.get(text) ?? 0) + 1
    this.#times.set(text, nth)
    this.tell(detail === undefined ? text : `${text}: ${detail}`)
    if (this.anchors.length < limits.story)
      this.anchors.push({ at: this.#clock.now(), text, nth, busy: this.#isBusy() })
    if (this.#waited?.moment.anchor === text && this.#waited.moment.nth === nth) this.#waited.callback()
  }

  ended({ label, failure }: CodeRun): void {
    this.anchor(`${label} ends`, failure && `it throws ${describeError(failure.error).message}`)
  }

  /** Calls back at an anchor. */
  on(moment: Moment, callback: () => void): void {
    this.#waited = { moment, callback }
  }
}
