import { CodeRun, type CodePlace, type Patience } from './code-run.ts'
import {
  HuntContext,
  contextOfHunt,
  huntHooks,
  type HuntContextOptions,
  type UncaughtError,
} from './hunt-context.ts'

export interface HuntedCodeOptions extends HuntContextOptions {
  /** How long to wait for a function in real time. */
  readonly patience: (label: string) => Patience
  readonly onStart: (run: CodeRun) => void
  readonly onEnd: (run: CodeRun) => void
  /** The signal of a run was aborted. */
  readonly onCancel: (run: CodeRun) => void
}

/** Runs the functions of an agent file for one call, each in a context of its own, and records what they do. */
export class HuntedCode {
  readonly runs: CodeRun[] = []
  readonly running = new Set<CodeRun>()
  readonly uncaught: UncaughtError[] = []
  readonly #options: HuntedCodeOptions

  constructor(options: HuntedCodeOptions) {
    this.#options = options
  }

  /** Runs a function. Returns or throws what the function does. */
  run<T>(place: CodePlace, signal: AbortSignal | undefined, work: (run: CodeRun) => T): T {
    const { clock, patience, onStart } = this.#options
    const run = new CodeRun(place, clock.now(), patience(place.label))
    this.runs.push(run)
    this.running.add(run)
    onStart(run)
    const cancelled = (): void => {
      if (!run.isRunning) return
      run.cancelledAt = clock.now()
      this.#options.onCancel(run)
    }
    if (signal?.aborted === true) cancelled()
    else signal?.addEventListener('abort', cancelled, { once: true })
    const hooks = huntHooks()
    const context = new HuntContext(run, this.uncaught, this.#options)
    hooks.enter(context)
    try {
      const value = hooks.storage.run(context, () => work(run))
      if (isThenable(value))
        value.then(
          () => this.#ended(run),
          (error: unknown) => this.#ended(run, { error }),
        )
      else this.#ended(run)
      return value
    } catch (error) {
      this.#ended(run, { error })
      throw error
    }
  }

  /** Wraps an asynchronous iterable so that each of its steps runs in the context of the agent's code. */
  iterate<T>(place: CodePlace, make: () => AsyncIterable<T>): AsyncIterable<T> {
    const { clock, patience } = this.#options
    // Not counted as running: a stage waits for the model most of the time.
    const run = new CodeRun(place, clock.now(), patience(place.label))
    this.runs.push(run)
    const hooks = huntHooks()
    const context = new HuntContext(run, this.uncaught, this.#options)
    hooks.enter(context)
    const inside = <R>(work: () => R): R => hooks.storage.run(context, work)
    const step = async (work: () => Promise<IteratorResult<T>>): Promise<IteratorResult<T>> => {
      try {
        const result = await inside(work)
        if (result.done === true) run.endedAt ??= clock.now()
        return result
      } catch (error) {
        run.endedAt ??= clock.now()
        run.failure ??= { error }
        throw error
      }
    }
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = inside(() => make()[Symbol.asyncIterator]())
        const done = async (): Promise<IteratorResult<T>> => ({ done: true, value: undefined })
        return {
          next: () => step(() => iterator.next()),
          return: (value?: unknown) => step(() => iterator.return?.(value) ?? done()),
        }
      },
    }
  }

  /** The run that the running code belongs to. Undefined for code that is not the agent's. */
  get current(): CodeRun | undefined {
    return contextOfHunt()?.run
  }

  #ended(run: CodeRun, failure?: { readonly error: unknown }): void {
    run.endedAt = this.#options.clock.now()
    run.failure = failure
    this.running.delete(run)
    this.#options.onEnd(run)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
