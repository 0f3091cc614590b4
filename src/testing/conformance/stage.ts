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
import { inTheWorld } from '../world-time.ts'

/**
 * How long anything may take that has no bound of its own. This bound only ends what hangs, so it is long enough for a
 * machine with far more work than cores.
 */
const SOON = 60_000

/** How often `until` checks its condition. */
const LOOK = 20

/** Where a check is played: its time, its chance, and whatever it opens. */
export class Stage {
  readonly clock: Clock
  readonly random: Random
  /** The simulated network, on a virtual stage. */
  readonly network: SimNetwork | undefined
  /** By how much a deadline may be missed. */
  readonly slack: number = 0
  readonly #scopes: Scope<string>[] = []
  readonly #before: ReadonlySet<Live>

  constructor(clock: Clock, random: Random, network?: SimNetwork) {
    this.clock = clock
    this.random = random
    this.network = network
    this.#before = new Set(clock.timers.list())
  }

  /** What to open a part with. Its scope is closed when the check is over, if the check has not done so. */
  context(options?: PartContextOptions): TestPartContext {
    const context = partContext(this, options)
    this.#scopes.push(context.scope)
    return context
  }

  elapse(ms: number): Promise<void> {
    return new Promise((resolve) => {
      inTheWorld(this.clock, ms, 'time passes', resolve)
    })
  }

  /** What the promise becomes; fails if that takes for ever. */
  soon<T>(promise: PromiseLike<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = inTheWorld(this.clock, SOON, what, () =>
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

  /** Waits for the promise, but not longer than so. It must not reject. */
  within(ms: number, promise: PromiseLike<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = inTheWorld(this.clock, this.patience(ms), 'time passes', resolve)
      promise.then(() => {
        timer.clear()
        resolve()
      }, noop)
    })
  }

  /**
   * Waits until the condition is true, but at most so long. A stage in real time waits longer, because the machine may be
   * busy. Checks wait like this for what must happen, and use `elapse` only before they assert that nothing happened.
   */
  async until(ms: number, condition: () => boolean): Promise<void> {
    const end = this.clock.now() + this.patience(ms)
    while (!condition() && this.clock.now() < end) await this.elapse(LOOK)
  }

  /** How long to wait for something that must happen within `ms`. */
  protected patience(ms: number): number {
    return ms
  }

  /** Lets everything happen that needs no time. */
  settle(): Promise<void> {
    return this.elapse(0)
  }

  /** Fails if anything is still alive that belongs to a part. */
  assertNothingLeft(): void {
    const living = [...this.clock.timers.list(), ...(this.network?.sockets.list() ?? [])]
    const left = living.filter((entry) => !this.#before.has(entry))
    assert.deepEqual(
      left.map(({ kind, name }) => `${kind} '${name}'`),
      [],
      'something was left behind',
    )
  }

  /** Fails unless the scope has ended everything it owned. */
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
      const report = await scope.close({ reason: 'the check is over' })
      assert.ok(report.took <= report.closeTimeout + this.slack, `closing took ${report.took} ms`)
    }
  }
}

/** Sets the stage for one check, and clears it up. */
export type OnStage = (play: (stage: Stage) => Promise<void>) => Promise<void>

/** In virtual time: nothing sleeps, and what hangs fails at once. */
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

class HurriedStage extends Stage {
  /** A machine may stand still for a while. */
  override readonly slack = 1_000
  readonly #times: number

  constructor(times: number) {
    super(systemClock, systemRandom)
    this.#times = times
  }

  override elapse(ms: number): Promise<void> {
    return super.elapse(ms / this.#times)
  }

  /** What is waited for here is done by somebody who may be busy. */
  protected override patience(ms: number): number {
    return Math.max(ms, SOON)
  }
}

/**
 * In real time, on which checks wait so many times shorter than they would for what has happened long ago: a server of
 * this machine answers at once. All limits are as they are.
 */
export function onHurriedStage(times: number): OnStage {
  return async (play) => {
    const stage = new HurriedStage(times)
    try {
      await play(stage)
    } finally {
      await stage.clearUp()
    }
    stage.assertNothingLeft()
  }
}

/** In real time, for parts that talk to something outside of the process. */
export const onRealStage: OnStage = onHurriedStage(1)
