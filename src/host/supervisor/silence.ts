import { limits } from './limits.ts'
import type { ProcessState } from './process-state.ts'

/**
 * Decides whether a process whose watchdog is silent is stuck. It counts from the first beat, and only time that proves
 * something: not while the process could compute but is given no CPU, and not while the supervisor itself was late.
 */
export class Silence {
  /** Milliseconds of silence that count. */
  #counted = 0
  #beats = 0
  #beatsSeen = 0
  #state: ProcessState | undefined

  beat(): void {
    this.#beats++
  }

  /** Called every `limits.silentLook` milliseconds. `read` reads the state of the process. Returns whether it is stuck. */
  look(elapsed: number, read: () => ProcessState | undefined): boolean {
    const heard = this.#beats !== this.#beatsSeen
    this.#beatsSeen = this.#beats
    if (heard || this.#beats === 0) {
      this.#counted = 0
      this.#state = undefined
      return false
    }
    const before = this.#state
    const state = read()
    this.#state = state
    const late = elapsed > 1.5 * limits.silentLook
    if (!late && (before === undefined || state === undefined || proves(before, state, elapsed)))
      this.#counted += elapsed
    return this.#counted >= limits.silent
  }
}

/** A process that waits, or that computes, could have beaten. One that is runnable and does not run is starved. */
function proves(before: ProcessState, state: ProcessState, elapsed: number): boolean {
  const computed = state.cpu - before.cpu >= elapsed / 4
  return computed || !state.runnable
}
