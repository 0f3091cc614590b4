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
  /** Reads the state of the process without the watchdog. Called only while the main thread waits. */
  readonly readProcess: () => ProcessState | undefined
}

/** `blocked`: try to cut it. `stuck`: it can only be killed. */
export type Verdict = 'turning' | 'blocked' | 'stuck'

/**
 * Decides whether an event loop is blocked. Only time that proves something counts: a thread that computes without a turn,
 * or that waits for something, is blocked; one that is runnable but gets no CPU is starved, and so is one that waits for such
 * a thread: V8 collects garbage in several.
 */
export class BlockWatch {
  /** Milliseconds since the last turn, or since the first look, as far as the watchdog itself was on time. */
  #counted: number | undefined
  /** Milliseconds of it in which the thread was not runnable. */
  #waited = 0
  /** CPU time at the last turn. */
  #cpu: number | undefined
  /** CPU time of the process at the last look, if the main thread was waiting then. */
  #processCpu: number | undefined

  get counted(): number {
    return this.#counted ?? 0
  }

  look({ elapsed, turned, state, readProcess }: Look): Verdict {
    if (turned || this.#counted === undefined) {
      this.#counted = 0
      this.#waited = 0
      this.#cpu = state?.cpu
      this.#processCpu = undefined
      return 'turning'
    }
    const counts = Math.min(elapsed, limits.look)
    this.#counted += counts
    if (state && !state.runnable && !this.#isStarved(readProcess(), elapsed)) this.#waited += counts
    const proof = this.proof(state)
    if (this.#counted >= limits.stuck && proof >= limits.stuckProof) return 'stuck'
    const { blocked, slack } = limits
    return this.#counted >= blocked && proof >= blocked - slack ? 'blocked' : 'turning'
  }

  /** Whether threads that the main thread may wait for could compute, but hardly do. */
  #isStarved(process: ProcessState | undefined, elapsed: number): boolean {
    const before = this.#processCpu
    this.#processCpu = process?.cpu
    if (!process?.runnable || before === undefined) return false
    return process.cpu - before < elapsed / 2
  }

  /** For how many milliseconds the thread has computed or waited since the last turn. */
  proof(state: ProcessState | undefined): number {
    if (!state || this.#cpu === undefined) return this.counted
    return Math.max(state.cpu - this.#cpu, this.#waited)
  }
}
