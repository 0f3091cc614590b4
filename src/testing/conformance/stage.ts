import assert from 'node:assert/strict'
import type { PartContext } from '../../parts/index.ts'
import {
  noop,
  systemClock,
  systemRandom,
  type Clock,
  type Live,
  type Random,
  type Scope,
} from '../../scope/index.ts'
import { partContext, type PartContextOptions, type TestPartContext } from '../part-context.ts'
import type { SimNetwork } from '../sim-network.ts'
import { inVirtualTime } from '../simulate.ts'
import { outsideTimer } from '../outside-timer.ts'

/**
 * The time limit for everything without a limit of its own. It only ends what hangs, so it is long enough for a machine
 * with far more work than cores.
 */
const SOON = 60_000

/** How often `until` checks its condition. */
const CHECK_INTERVAL = 20

/** The environment of a check: its clock, its random numbers, and the scopes it opens. */
export class Stage {
  readonly clock: Clock
  readonly random: Random
  /** The simulated network, on a virtual stage. */
  readonly network: SimNetwork | undefined
  /** Milliseconds by which a close may exceed its timeout. */
  readonly slack: number = 0
  readonly #scopes: Scope<string>[] = []
  readonly #before: ReadonlySet<Live>

  constructor(clock: Clock, random: Random, network?: SimNetwork) {
    this.clock = clock
    this.random = random
    this.network = network
    this.#before = new Set(clock.timers.list())
  }

  /** Creates a context to open a part in. Its scope is closed after the check. */
  context(options?: PartContextOptions): TestPartContext {
    const context = partContext(this, options)
    this.#scopes.push(context.scope)
    return context
  }

  elapse(ms: number): Promise<void> {
    return new Promise((resolve) => {
      outsideTimer(this.clock, ms, 'time passes', resolve)
    })
  }

  /** Settles like the promise. Rejects if the promise takes longer than 10 s. */
  soon<T>(promise: PromiseLike<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = outsideTimer(this.clock, SOON, what, () =>
        reject(new assert.AssertionError({ message: `${what} did not happen within ${SOON} ms` })),
      )
      promise.then(
        (value) => {
          timer.clear()
          resolve(value)
        },
        (error: unknown) => {
          timer.clear()
          reject(error)
        },
      )
    })
  }

  /** Resolves when the promise does, or after `ms`. The promise must not reject. */
  within(ms: number, promise: PromiseLike<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = outsideTimer(this.clock, this.patience(ms), 'time passes', resolve)
      promise.then(() => {
        timer.clear()
        resolve()
      }, noop)
    })
  }

  /**
   * Resolves when the condition is true, or after `ms`. In real time it waits longer, because the machine may be busy.
   * Checks use it to wait for what must happen, and `elapse` only before they assert that nothing happened.
   */
  async until(ms: number, condition: () => boolean): Promise<void> {
    const end = this.clock.now() + this.patience(ms)
    while (!condition() && this.clock.now() < end) await this.elapse(CHECK_INTERVAL)
  }

  /** How long to wait for something that should happen within `ms`. */
  protected patience(ms: number): number {
    return ms
  }

  /** Lets everything happen that is due now. */
  settle(): Promise<void> {
    return this.elapse(0)
  }

  /** Throws if a timer or socket that was created on this stage is still active. */
  assertNothingLeft(): void {
    const active = [...this.clock.timers.list(), ...(this.network?.sockets.list() ?? [])]
    const left = active.filter((entry) => !this.#before.has(entry))
    assert.deepEqual(
      left.map(({ kind, name }) => `${kind} '${name}'`),
      [],
      'something was left behind',
    )
  }

  /** Throws unless the scope is closed and everything it owned has ended. */
  assertEmpty({ scope }: PartContext): void {
    const { state, owned, children } = scope.inspect().tree
    assert.equal(state, 'closed')
    assert.deepEqual(
      [...owned, ...children].map(({ name }) => name),
      [],
      'the scope still owns something',
    )
    this.assertNothingLeft()
  }

  /** @internal */
  async clearUp(): Promise<void> {
    for (const scope of this.#scopes) {
      const report = await scope.close({ reason: 'the check has ended' })
      assert.ok(report.took <= report.closeTimeout + this.slack, `closing took ${report.took} ms`)
    }
  }
}

/** Creates the stage for one check, and closes everything on it afterwards. */
export type OnStage = (play: (stage: Stage) => Promise<void>) => Promise<void>

/** In virtual time: nothing sleeps, and a check that hangs fails at once. */
export const onVirtualStage: OnStage = (play) =>
  inVirtualTime(async ({ clock, random, network }) => {
    const stage = new Stage(clock, random, network)
    try {
      await play(stage)
    } finally {
      await stage.clearUp()
    }
    stage.assertNothingLeft()
  })

class FastStage extends Stage {
  /** A busy machine may pause for a while. */
  override readonly slack = 1_000
  readonly #times: number

  constructor(times: number) {
    super(systemClock, systemRandom)
    this.#times = times
  }

  override elapse(ms: number): Promise<void> {
    return super.elapse(ms / this.#times)
  }

  /** Real work may take longer on a busy machine. */
  protected override patience(ms: number): number {
    return Math.max(ms, SOON)
  }
}

/**
 * In real time, with the fixed waits of checks divided by `times`: a server on this machine answers at once. Time limits
 * stay the same.
 */
export function onFastStage(times: number): OnStage {
  return async (play) => {
    const stage = new FastStage(times)
    try {
      await play(stage)
    } finally {
      await stage.clearUp()
    }
    stage.assertNothingLeft()
  }
}

/** In real time, for parts that use something outside the process. */
export const onRealStage: OnStage = onFastStage(1)
