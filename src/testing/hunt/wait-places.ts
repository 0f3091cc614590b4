import { createHook, type AsyncHook } from 'node:async_hooks'
import type { CodeRun } from './code-run.ts'
import { contextOfHunt } from './hunt-context.ts'

/** Frames of a stack: enough to reach the agent's code from inside a library. */
const FRAMES = 50

/**
 * Finds out where code waits: records the stack of every promise that the agent's code creates, until the promise is resolved. An
 * `await` creates one, so that the latest is where the code stands. Slow: for single calls only.
 */
export class WaitPlaces {
  readonly #pending = new Map<number, { readonly run: CodeRun; readonly stack: string }>()
  readonly #hook: AsyncHook
  #framesBefore = Error.stackTraceLimit

  constructor() {
    this.#hook = createHook({
      init: (id, type) => {
        if (type !== 'PROMISE') return
        const context = contextOfHunt()
        if (!context) return
        this.#pending.set(id, { run: context.run, stack: new Error('here').stack ?? '' })
      },
      promiseResolve: (id) => void this.#pending.delete(id),
    })
  }

  start(): void {
    this.#framesBefore = Error.stackTraceLimit
    Error.stackTraceLimit = FRAMES
    this.#hook.enable()
  }

  stop(): void {
    this.#hook.disable()
    Error.stackTraceLimit = this.#framesBefore
  }

  /** The stacks of what the run is waiting for, the latest first. */
  of(run: CodeRun): string | undefined {
    const own = [...this.#pending.values()].filter((each) => each.run === run)
    return own.length === 0
      ? undefined
      : own
          .toReversed()
          .map(({ stack }) => stack)
          .join('\n')
  }
}
