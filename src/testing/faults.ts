import type { Intercept, Intercepted, TaskContext } from '../scope/index.ts'

/**
 * What can happen to a step.
 * - `hang`: it never settles, and its work is never started
 * - `throw`: it throws synchronously
 * - `reject`: its promise rejects
 * - `ignore-signal`: its signal never aborts
 * - `late`: it does its work and settles this many milliseconds later; with `fails`, it does no work and rejects then
 */
export type Fault = 'hang' | 'throw' | 'reject' | 'ignore-signal' | { late: number; fails?: true }

/** The error of an injected fault. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly code = 'FAULT'

  constructor(step: string) {
    super(`injected fault: ${step}`)
  }
}

/**
 * Injects faults into steps by name (SI2). The name of a step is its kind and its subject: `task:poll`, `open:feed`,
 * `close:feed`, `deferred:flush`. `close:*` matches all steps of a kind. Pass `intercept` to a scope; its children
 * inherit it.
 *
 * ```ts
 * const faults = new Faults((ms) => world.clock.elapse(ms)).set('close:feed', 'hang')
 * const scope = new Scope('call', { clock: world.clock, intercept: faults.intercept })
 * ```
 */
export class Faults {
  /** The names of the steps in which a fault has occurred, in order. */
  readonly fired: string[] = []
  readonly #faults = new Map<string, Fault>()
  readonly #wait: (ms: number) => Promise<void>

  /** `wait` is how a late step waits. Its timers must not belong to the scope. */
  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait
  }

  set(step: string, fault: Fault): this {
    this.#faults.set(step, fault)
    return this
  }

  clear(step?: string): void {
    if (step === undefined) this.#faults.clear()
    else this.#faults.delete(step)
  }

  readonly intercept: Intercept = (at, run) => {
    const step = nameOf(at)
    const fault = this.#faults.get(step) ?? this.#faults.get(`${at.kind}:*`)
    if (!fault) return run
    return (input) => {
      this.fired.push(step)
      return this.#inject(step, fault, input, run)
    }
  }

  #inject<Input extends TaskContext | AbortSignal>(
    step: string,
    fault: Fault,
    input: Input,
    run: (input: Input) => unknown,
  ): unknown {
    if (fault === 'hang') return new Promise(() => {})
    if (fault === 'throw') throw new FaultError(step)
    if (fault === 'reject') return Promise.reject(new FaultError(step))
    if (fault === 'ignore-signal') return run(withoutCancel(input))
    return this.#late(step, fault, async () => run(input))
  }

  async #late(
    step: string,
    fault: { late: number; fails?: true },
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    if (fault.fails) {
      await this.#wait(fault.late)
      throw new FaultError(step)
    }
    const work = await Promise.allSettled([run()]).then(([settled]) => settled)
    await this.#wait(fault.late)
    if (work.status === 'rejected') throw work.reason
    return work.value
  }
}

function nameOf({ kind, name }: Intercepted): string {
  return `${kind}:${name}`
}

/** The same input with a signal that never aborts. */
function withoutCancel<Input extends TaskContext | AbortSignal>(input: Input): Input {
  const { signal } = new AbortController()
  if (input instanceof AbortSignal) return signal as Input
  const context: TaskContext = {
    name: input.name,
    signal,
    cancelled: false,
    scope: input.scope,
    onCancel: () => () => {},
    until: (promise) => Promise.resolve(promise),
    sleep: (ms) =>
      new Promise((resolve) => {
        input.scope.clock.after(ms, `sleep of '${input.name}'`, resolve)
      }),
    close: (options) => input.close(options),
  }
  return context as Input
}
