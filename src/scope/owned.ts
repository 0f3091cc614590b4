import { CancelToken } from './cancel.ts'
import type { CancelledError } from './errors.ts'
import type { Ledger } from './ledger.ts'
import type { Problems } from './problems.ts'

export type Kind = 'task' | 'opening' | 'resource' | 'deferred' | 'timer' | 'scope'

/**
 * Anything a scope owns. Closing talks to all of them in the same five words, in this order:
 *
 *             tell        cancel        begin           holdOver          force
 *             (intent)    (stop work)   (its phase)     (cap reached)     (budget spent)
 * task        –           cancelled     –               goes on           abandoned
 * opening     –           cancelled     –               goes on           abandoned; aborted when ready
 * resource    closing()   –             close(signal)   abort()           abort()
 * deferred    –           –             run(signal)     goes on           goes on in the background
 * child       told        cancelled     its phases      goes on           forced
 * timer       cleared     –             –               –                 –
 *
 * It is its own cancel token, not one with a token beside it: there are many, and an object each would be a tenth of a
 * task. `tell`, `cancel` and `force` are synchronous and throw nothing. A member that has ended calls `ledger.ended(this)`
 * once; after `force()` it has.
 */
export abstract class Owned extends CancelToken {
  abstract readonly kind: Kind
  /** Unique in its tree of scopes. */
  readonly id: number
  readonly name: string
  /** Index into the scope's list of phases. */
  readonly phase: number
  /** In whole milliseconds: nobody reads more, and a number with a fraction is an object of its own. */
  readonly since: number
  /** True while closing waits for it before it begins the next phase. */
  holds = false
  /** The books it stands in; gone once it has ended or was given up, so that it keeps nothing alive (SC9). */
  protected ledger: Ledger | undefined
  /** Stays when the ledger goes: it keeps nothing of the scope alive. */
  protected readonly problems: Problems

  constructor(ledger: Ledger, name: string, phase: number, id: number = ++ledger.tree.lastId) {
    super()
    this.ledger = ledger
    this.problems = ledger.problems
    this.id = id
    this.name = name
    this.phase = phase
    this.since = Math.floor(ledger.clock.now())
  }

  tell(_reason: CancelledError): void {}
  cancel(_reason: CancelledError): void {}
  begin(): void {}
  holdOver(): void {}
  /** The deadline has come nearer. */
  sooner(): void {}
  abstract force(): void

  /** How long it may hold the next phase back, where `share` is its fair part of the time left. */
  abstract hold(share: number): number

  protected override errorSink(): (error: unknown) => void {
    const { problems, name } = this
    return (error) => problems.add(`cancel listener of '${name}'`, error)
  }

  /** Takes it out of the books, once. Returns them if this was the time. */
  protected leave(): Ledger | undefined {
    const ledger = this.ledger
    this.ledger = undefined
    return ledger
  }
}
