import type { Timer } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'

/** A model of the journal: which calls each worker has, and an `orphan` that may take long or never answer. */
export class ModelJournal {
  readonly #world: World
  readonly #live = new Map<string, number>()
  readonly #orphanings = new Map<string, number>()
  readonly #timers = new Set<Timer>()
  /** Whether every request was answered within a second. */
  readonly answersAll: boolean

  constructor(world: World) {
    this.#world = world
    this.answersAll = world.random.chance(0.8)
  }

  open(worker: string): void {
    this.#live.set(worker, (this.#live.get(worker) ?? 0) + 1)
  }

  close(worker: string): void {
    this.#live.set(worker, (this.#live.get(worker) ?? 0) - 1)
  }

  orphan(worker: string, done: (lost: number) => void): void {
    const { clock, random } = this.#world
    this.#orphanings.set(worker, this.orphanings(worker) + 1)
    if (!this.answersAll && random.chance(0.3)) return
    const timer = clock.happen(random.pick([0, 5, 90]), `orphan ${worker}`, () =>
      done(this.#live.get(worker) ?? 0),
    )
    this.#timers.add(timer)
  }

  orphanings(worker: string): number {
    return this.#orphanings.get(worker) ?? 0
  }

  stop(): void {
    for (const timer of this.#timers) timer.clear()
  }
}
