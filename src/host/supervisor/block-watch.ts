import { limits } from './limits.ts'
import type { ProcessState } from './process-state.ts'

/** What the watchdog sees when it looks at the main thread. */
export interface Look {
  /** Milliseconds since the look before. */
  readonly elapsed: number
  /** Whether the event loop has turned since the look before. */
  readonly turned: boolean
  /** The main thread. Undefined if it cannot be seen, as on other systems than Linux. */
  readonly state: ProcessState | undefined
}

/** `blocked`: try to cut it. `stuck`: it can only be killed. */
export type Verdict = 'turning' | 'blocked' | 'stuck'

/**
 * Decides whether an event loop is blocked. Only time that proves something counts: a thread that computes without a turn,
 * or that waits for something, is blocked; one that is runnable but gets no CPU is starved. Looks that come late say that
 * the machine is busy, and nothing about the loop.
 */
export class BlockWatch {
  /** Milliseconds since the last turn, without looks that came late. Undefined before the first turn. */
  #counted: number | undefined
  /** Milliseconds of it in which the thread was not runnable. */
  #waited = 0
  /** CPU time at the last turn. */
  #cpu: number | undefined

  /** Milliseconds since the last turn that count. */
  get counted(): number {
    return this.#counted ?? 0
  }

  look({ elapsed, turned, state }: Look): Verdict {
    if (turned) {
      this.#counted = 0
      this.#waited = 0
      this.#cpu = state?.cpu
      return 'turning'
    }
    const late = elapsed > 1.5 * limits.look
    if (this.#counted === undefined || late) return this.#verdict(state)
    this.#counted += elapsed
    if (state && !state.runnable) this.#waited += elapsed
    return this.#verdict(state)
  }

  #verdict(state: ProcessState | undefined): Verdict {
    const { counted } = this
    const computed = state && this.#cpu !== undefined ? state.cpu - this.#cpu : undefined
    const proof = Math.max(computed ?? counted, this.#waited)
    if (counted >= limits.stuck && proof >= limits.stuck / 2) return 'stuck'
    return counted >= limits.blocked && proof >= limits.busy ? 'blocked' : 'turning'
  }
}
