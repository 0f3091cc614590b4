import { noop } from '../scope/index.ts'
import { drain } from './drain.ts'
import { StuckError, Watched, type Waiting, type Pace } from './pace.ts'
import { SimClock } from './sim-clock.ts'

interface Waiter extends Waiting {
  readonly met: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Events that have happened while it waited. */
  events: number
}

export interface VirtualTimeOptions {
  /** More events than this in one wait are a runaway, a timer that sets itself anew for ever: 100,000 unless set. */
  maxEvents?: number
}

const HINT =
  'Virtual time waits for its own clock only. What is real (a network, a file, a setTimeout) needs real time, or a mock.'

/**
 * Virtual time for an ordinary test. It stands still, and passes only while somebody awaits `run` or `until`: event by
 * event, each when no microtask is left, and not one further than what is awaited.
 *
 * ```ts
 * const time = new VirtualTime()
 * const scope = new Scope('call', { clock: time.clock })
 * const report = await time.run(scope.close())
 * ```
 */
export class VirtualTime implements Pace {
  readonly clock = new SimClock()
  readonly #waiting = new Set<Waiter>()
  readonly #maxEvents: number
  #passing = false

  constructor({ maxEvents = 100_000 }: VirtualTimeOptions = {}) {
    this.#maxEvents = maxEvents
  }

  /** What the promise becomes. One that can never settle fails at once. */
  async run<T>(promise: PromiseLike<T>, { what, alive }: Partial<Waiting> = {}): Promise<T> {
    const watched = new Watched(promise, noop)
    await this.until(() => watched.settled, {
      what: what ?? 'a promise',
      ...(alive ? { alive } : {}),
    })
    return watched.outcome
  }

  /** Resolves as soon as `met` holds at a moment when every microtask has run. */
  until(met: () => boolean, { what, alive = () => this.alive }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ met, what, alive, resolve, reject, events: 0 })
      if (!this.#passing) this.#pass().catch(noop)
    })
  }

  /** Lets so much time pass. */
  async elapse(ms: number): Promise<void> {
    await this.run(this.clock.elapse(ms))
  }

  changed(): void {}

  /** The timers that are set. */
  get alive(): string[] {
    const { timers, outside } = this.clock
    return [
      ...timers.list().map(({ name }) => `timer '${name}'`),
      ...outside.list().map(({ name }) => `to happen: ${name}`),
    ]
  }

  /** One loop for all who wait, so that no event is taken before everybody has seen the one before it. */
  async #pass(): Promise<void> {
    this.#passing = true
    for (;;) {
      await drain()
      // Whoever is told goes on first: time must not run ahead of them.
      if (this.#tell()) continue
      if (this.#waiting.size === 0) break
      const event = this.clock.step()
      for (const waiter of this.#waiting) {
        if (event === undefined)
          this.#fail(waiter, 'nothing is left to happen, and it still waits: it would for ever')
        else if (++waiter.events > this.#maxEvents)
          this.#fail(waiter, `not after ${this.#maxEvents} events: it never comes to rest`)
      }
    }
    this.#passing = false
  }

  #tell(): boolean {
    let told = false
    for (const waiter of this.#waiting) {
      try {
        if (!waiter.met()) continue
        waiter.resolve()
      } catch (error) {
        waiter.reject(error)
      }
      this.#waiting.delete(waiter)
      told = true
    }
    return told
  }

  #fail(waiter: Waiter, why: string): void {
    this.#waiting.delete(waiter)
    waiter.reject(new StuckError(why, waiter, HINT))
  }
}
