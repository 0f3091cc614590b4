import { callOut } from './edge.ts'
import { noop } from './noop.ts'
import type { StepOutcome, TaskOutcome } from './report.ts'

/** The kinds of things that a scope owns. */
export type Kind = 'task' | 'opening' | 'resource' | 'deferred' | 'timer' | 'scope'

/** How a thing that a scope owned has ended. */
export type EndOutcome = TaskOutcome | StepOutcome | 'clean' | 'not clean' | 'fired' | 'cleared'

/** Something was added to the tree of scopes or ended, a scope changed its state, or a resource or deferred work began to end. */
export interface Change {
  readonly type: 'added' | 'ended' | 'closing' | 'closed'
  /** The clock's time. */
  readonly at: number
  /** The id of the scope in which it happened. */
  readonly scope: number
  readonly id: number
  readonly kind: Kind
  readonly name: string
  /** How it ended, in the words of the report. */
  readonly outcome?: EndOutcome
}

/** What a change is about. */
export type Announced = Pick<Change, 'id' | 'kind' | 'name'>

/** The listeners of one scope and of everything below it. */
export class Watchers {
  readonly #listeners = new Set<(change: Change) => void>()

  /** Returns an unsubscribe function, which returns false if it was called before. */
  add(listener: (change: Change) => void): () => boolean {
    // A new function per call: adding the same listener twice makes two subscriptions.
    const own = (change: Change): void => callOut(() => listener(change), noop)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  /** Notifies every listener. Their errors are dropped: watching must never change what is watched. */
  notify(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
