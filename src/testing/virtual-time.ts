import { noop } from '../scope/index.ts'
import { drain } from './drain.ts'
import { StuckError, Watched, type Waiting, type Pace } from './pace.ts'
import { SimClock } from './sim-clock.ts'

interface Waiter extends Waiting {
  readonly met: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Events since the wait began. */
  events: number
}

export interface VirtualTimeOptions {
  /** The limit of events per wait, to stop a timer that reschedules itself forever. Default: 100,000. */
  maxEvents?: number
  /**
   * Called before each event that is not due yet. Lets real time pass instead if the code under test waits for something
   * real: moves the clock by it, and resolves to true. Default: nothing real is awaited.
   */
  waitForReal?: (clock: SimClock) => boolean | Promise<boolean>
  /** Called after each turn of the event loop. */
  turned?: () => void
  /** The date at which virtual time begins, in milliseconds since 1970. Default: 1 January 2026. */
  epoch?: number
}

const HINT =
  'Virtual time only knows its own clock. A real network, file or setTimeout needs real time, or a mock.'

/**
 * Virtual time for an ordinary test. It stands still, and passes only during `run`, `until` and `elapse`: event by event,
 * each after all microtasks have run, and no further than what is awaited.
 *
 * ```ts
 * const time = new VirtualTime()
 * const scope = new Scope('call', { clock: time.clock })
 * const report = await time.run(scope.close())
 * ```
 */
export class VirtualTime implements Pace {
  readonly clock: SimClock
  readonly #waiting = new Set<Waiter>()
  readonly #maxEvents: number
  readonly #waitForReal: NonNullable<VirtualTimeOptions['waitForReal']>
  readonly #turned: () => void
  #passing = false

  constructor({
    maxEvents = 100_000,
    waitForReal = () => false,
    turned = noop,
    epoch,
  }: VirtualTimeOptions = {}) {
    this.clock = new SimClock(epoch === undefined ? {} : { epoch })
    this.#maxEvents = maxEvents
    this.#waitForReal = waitForReal
    this.#turned = turned
  }

  /** Settles like the promise. Rejects at once if the promise can never settle. */
  async run<T>(promise: PromiseLike<T>, { what, alive }: Partial<Waiting> = {}): Promise<T> {
    const watched = new Watched(promise, noop)
    await this.until(() => watched.settled, {
      what: what ?? 'a promise',
      ...(alive ? { alive } : {}),
    })
    return watched.outcome
  }

  /** Resolves as soon as `met` is true after all microtasks have run. */
  until(met: () => boolean, { what, alive = () => this.alive }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ met, what, alive, resolve, reject, events: 0 })
      if (!this.#passing) this.#pass().catch(noop)
    })
  }

  /** Lets this many milliseconds pass. */
  async elapse(ms: number): Promise<void> {
    await this.run(this.clock.elapse(ms))
  }

  changed(): void {}

  /** The pending timers and outside events. */
  get alive(): string[] {
    const { timers, outside } = this.clock
    return [
      ...timers.list().map(({ name }) => `timer '${name}'`),
      ...outside.list().map(({ name }) => `pending event '${name}'`),
    ]
  }

  /** One loop for all waits, so that each of them sees every event before the next one happens. */
  async #pass(): Promise<void> {
    this.#passing = true
    for (;;) {
      await drain()
      this.#turned()
      // The code after a finished wait runs first: time must not run ahead of it.
      if (this.#settleWaits()) continue
      if (this.#waiting.size === 0) break
      const { clock } = this
      const isDue = clock.nextAt !== undefined && clock.nextAt <= clock.now()
      const real = !isDue && this.#waitForReal(clock)
      if (real !== false && (await real)) continue
      const event = clock.step()
      for (const waiter of this.#waiting) {
        if (event === undefined) this.#fail(waiter, 'it would wait forever: no timer is left')
        else if (++waiter.events > this.#maxEvents)
          this.#fail(waiter, `it did not happen within ${this.#maxEvents} events`)
      }
    }
    this.#passing = false
  }

  #settleWaits(): boolean {
    let settled = false
    for (const waiter of this.#waiting) {
      try {
        if (!waiter.met()) continue
        waiter.resolve()
      } catch (error) {
        waiter.reject(error)
      }
      this.#waiting.delete(waiter)
      settled = true
    }
    return settled
  }

  #fail(waiter: Waiter, why: string): void {
    this.#waiting.delete(waiter)
    waiter.reject(new StuckError(why, waiter, HINT))
  }
}
