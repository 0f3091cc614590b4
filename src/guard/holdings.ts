import { noop, type CancelledError, type Scope } from '../scope/index.ts'
import type { Opened, OpenedKind } from './context.ts'
import { Holding } from './holding.ts'
import { Latecomers } from './latecomers.ts'
import { limits } from './limits.ts'

/** Something that had not ended by itself, and was ended. */
export interface SeveredReport {
  readonly kind: OpenedKind
  readonly name: string
  /** Milliseconds from its opening until it was cut off. */
  readonly age: number
}

/** Everything a guarded session has opened and not ended. */
export class Holdings {
  readonly #scope: Scope<string>
  readonly #run: (work: () => void) => void
  readonly #latecomers: Latecomers
  readonly #holdings = new Map<object, Holding>()
  readonly #severed: SeveredReport[] = []
  #severedInAll = 0

  /** `run` runs work in the session's context: what the end of a socket sets off is the session's, too. */
  constructor(
    scope: Scope<string>,
    run: (work: () => void) => void,
    onClosing: (reason: CancelledError) => void,
  ) {
    this.#scope = scope
    this.#run = run
    this.#latecomers = new Latecomers(onClosing)
    scope.own(Latecomers.resourceName, this.#latecomers)
  }

  get severed(): readonly SeveredReport[] {
    return this.#severed
  }

  get severedInAll(): number {
    return this.#severedInAll
  }

  /** Whether anything was opened while the session was being closed. */
  get hadLatecomers(): boolean {
    return this.#latecomers.total > 0
  }

  add(opened: Opened): void {
    // A socket can be connected twice; it is still one.
    if (this.#holdings.has(opened.thing)) return
    const holding = new Holding(opened, this.#scope.clock.now(), (severed) => this.#sever(severed))
    this.#holdings.set(opened.thing, holding)
    if (this.#scope.state === 'live') this.#scope.own(opened.name, holding)
    else this.#latecomers.add(holding)
    opened.onEnd(() => this.#ended(holding))
  }

  /** The session's own close is over: what it cannot know of is asked to go, the rest may go by itself. */
  release(): void {
    for (const { opened } of this.#holdings.values()) this.#run(() => opened.leave?.())
    this.#latecomers.lastCall()
  }

  /** No more time: what is left is cut off. */
  cut(): void {
    for (const thing of [...this.#holdings.values(), this.#latecomers]) this.#scope.end(thing, 0).catch(noop)
  }

  /** Whatever there still is: something may have been opened by what the end of the others has set off. */
  abort(): void {
    for (const holding of this.#holdings.values()) holding.abort()
  }

  #ended(holding: Holding): void {
    if (!this.#holdings.delete(holding.opened.thing)) return
    if (!holding.ended()) this.#scope.forget(holding)
    this.#latecomers.left(holding)
  }

  #sever(holding: Holding): void {
    this.#holdings.delete(holding.opened.thing)
    const { kind, name } = holding.opened
    const age = Math.round(this.#scope.clock.now() - holding.since)
    if (this.#severed.length < limits.reported) this.#severed.push({ kind, name, age })
    this.#severedInAll++
    this.#run(() => holding.opened.abort())
  }
}
