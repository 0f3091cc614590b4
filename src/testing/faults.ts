import type { Intercept, Intercepted, TaskContext } from '../scope/index.ts'

/**
 * What can be done to a step.
 * - `hang`: it never settles; what it should have done is not even begun
 * - `throw`: it throws at once
 * - `reject`: its promise rejects
 * - `ignore-signal`: it is never told to stop
 * - `late`: it does its work, then takes so much longer; with `fails` it only waits, and then fails
 */
export type Fault = 'hang' | 'throw' | 'reject' | 'ignore-signal' | { late: number; fails?: true }

/** What an injected fault throws. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly code = 'FAULT'

  constructor(step: string) {
    super(`injected fault: ${step}`)
  }
}

/**
 * Faults by name (SI2). A step is named by what is done and to what: `task:poll`, `open:feed`, `close:feed`,
 * `deferred:flush`; `close:*` means all of a kind. Pass `intercept` to the scope, and its children inherit it.
 *
 * ```ts
 * const faults = new Faults((ms) => world.clock.elapse(ms)).set('close:feed', 'hang')
 * const scope = new Scope('call', { clock: world.clock, intercept: faults.intercept })
 * ```
 */
export class Faults {
  /** The faults that have struck, by name of the step, in order. */
  readonly fired: string[] = []
  readonly #faults = new Map<string, Fault>()
  readonly #wait: (ms: number) => Promise<void>

  /** `wait` is how a late step waits: on the world's time, not on the scope's. */
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
      return this.#strike(step, fault, input, run)
    }
  }

  #strike<Input extends TaskContext | AbortSignal>(
    step: string,
    fault: Fault,
    input: Input,
    run: (input: Input) => unknown,
  ): unknown {
    if (fault === 'hang') return new Promise(() => {})
    if (fault === 'throw') throw new FaultError(step)
    if (fault === 'reject') return Promise.reject(new FaultError(step))
    if (fault === 'ignore-signal') return run(deaf(input))
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

/** The same input, except that it never says stop. */
function deaf<Input extends TaskContext | AbortSignal>(input: Input): Input {
  const silent = new AbortController().signal
  if (input instanceof AbortSignal) return silent as Input
  const context: TaskContext = {
    name: input.name,
    signal: silent,
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
