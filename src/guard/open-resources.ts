import { noop, type CancelledError, type Scope } from '../scope/index.ts'
import type { Opened, OpenedKind } from './context.ts'
import { OpenResource } from './open-resource.ts'
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
export class OpenResources {
  readonly #scope: Scope<string>
  readonly #run: (work: () => void) => void
  readonly #latecomers: Latecomers
  readonly #open = new Map<object, OpenResource>()
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
    if (this.#open.has(opened.thing)) return
    const resource = new OpenResource(opened, this.#scope.clock.now(), (severed) => this.#sever(severed))
    this.#open.set(opened.thing, resource)
    if (this.#scope.state === 'live') this.#scope.own(opened.name, resource)
    else this.#latecomers.add(resource)
    opened.onEnd(() => this.#ended(resource))
  }

  /** The session's own close is over: what it cannot know of is asked to go, the rest may go by itself. */
  release(): void {
    for (const { opened } of this.#open.values()) this.#run(() => opened.leave?.())
    this.#latecomers.lastCall()
  }

  /** No more time: what is left is cut off. */
  cut(): void {
    for (const thing of [...this.#open.values(), this.#latecomers]) this.#scope.end(thing, 0).catch(noop)
  }

  /** Whatever there still is: something may have been opened by what the end of the others has set off. */
  abort(): void {
    for (const resource of this.#open.values()) resource.abort()
  }

  #ended(resource: OpenResource): void {
    if (!this.#open.delete(resource.opened.thing)) return
    if (!resource.ended()) this.#scope.forget(resource)
    this.#latecomers.left(resource)
  }

  #sever(resource: OpenResource): void {
    this.#open.delete(resource.opened.thing)
    const { kind, name } = resource.opened
    const age = Math.round(this.#scope.clock.now() - resource.since)
    if (this.#severed.length < limits.reported) this.#severed.push({ kind, name, age })
    this.#severedInAll++
    this.#run(() => resource.opened.abort())
  }
}
