import type { Scope, Timer } from '../scope/index.ts'
import type { CloseAsk } from './closing.ts'

export interface EndingOptions {
  /** How long nothing may happen. */
  readonly stallTimeout: number
  /** How long it may take in all, whatever happens; no limit unless set. */
  readonly endTimeout?: number | undefined
  /** Until when something moves by itself: sound on the line, a tool within its own time. */
  readonly busyUntil: () => number
  /** It has come to a standstill, or has used up its time. */
  readonly stuck: (by: string) => void
}

/**
 * A graceful end under way: a drain, a goodbye. It is bounded on stall, not on length (CL3): as long as something moves,
 * a goodbye may take its time.
 */
export class Ending {
  /** Who wants the session to end, and why: that names the reason, whatever closes it in the end (CL2). */
  readonly ask: CloseAsk
  readonly askedAt: number
  /** Resolves when it is over: the session closes, or goes on after all. */
  readonly over: Promise<void>
  readonly #scope: Scope<string>
  readonly #options: EndingOptions
  #resolve!: () => void
  #timer: Timer | undefined
  #limit: Timer | undefined
  #movedAt: number

  constructor(scope: Scope<string>, ask: CloseAsk, options: EndingOptions) {
    this.ask = ask
    this.#scope = scope
    this.#options = options
    this.askedAt = scope.clock.now()
    this.#movedAt = this.askedAt
    this.over = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const { endTimeout, stuck } = options
    if (endTimeout !== undefined)
      this.#limit = scope.after(endTimeout, 'limit of the end', () => stuck('limit of the end'))
    this.#arm()
  }

  /** Something has moved. */
  progress(): void {
    this.#movedAt = this.#scope.clock.now()
  }

  stop(): void {
    this.#timer?.clear()
    this.#limit?.clear()
    this.#resolve()
  }

  /** One timer that looks again, instead of one a frame: progress is only a number. */
  #arm(): void {
    const left = Math.max(0, this.#due - this.#scope.clock.now())
    this.#timer = this.#scope.after(left, 'stall of the end', () => {
      if (this.#due > this.#scope.clock.now()) this.#arm()
      else this.#options.stuck('stall of the end')
    })
  }

  get #due(): number {
    return Math.max(this.#movedAt, this.#options.busyUntil()) + this.#options.stallTimeout
  }
}
