import { noop, type CancelledError, type Scope } from '../scope/index.ts'
import type { Opened, OpenedKind } from './context.ts'
import { OpenResource } from './open-resource.ts'
import { Latecomers } from './latecomers.ts'
import { limits } from './limits.ts'

/** Something that the session opened and that had to be cut off. */
export interface SeveredReport {
  readonly kind: OpenedKind
  readonly name: string
  /** How long it was open, in milliseconds. */
  readonly age: number
}

/** Everything a guarded session has opened that has not ended. */
export class OpenResources {
  readonly #scope: Scope<string>
  readonly #run: (work: () => void) => void
  readonly #latecomers: Latecomers
  readonly #open = new Map<object, OpenResource>()
  readonly #severed: SeveredReport[] = []
  #severedTotal = 0

  /** `run` runs work in the session's context, because ending a socket may set off more of the session's work. */
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

  get severedTotal(): number {
    return this.#severedTotal
  }

  /** Whether anything was opened while the session was closing. */
  get hadLatecomers(): boolean {
    return this.#latecomers.total > 0
  }

  add(opened: Opened): void {
    // A socket can be connected twice.
    if (this.#open.has(opened.thing)) return
    const resource = new OpenResource(opened, this.#scope.clock.now(), (severed) => this.#sever(severed))
    this.#open.set(opened.thing, resource)
    if (this.#scope.state === 'live') this.#scope.own(opened.name, resource)
    else this.#latecomers.add(resource)
    opened.onEnd(() => this.#ended(resource))
  }

  /** After the session's own close: asks adopted things to end. The rest may end by itself. */
  release(): void {
    for (const { opened } of this.#open.values()) this.#run(() => opened.askToEnd?.())
    this.#latecomers.lastCall()
  }

  /** Ends everything that is left, through the scope. */
  cut(): void {
    for (const thing of [...this.#open.values(), this.#latecomers]) this.#scope.end(thing, 0).catch(noop)
  }

  /** Aborts everything that is left. Ending the others may have opened something new. */
  abort(): void {
    for (const resource of this.#open.values()) resource.abort()
  }

  #ended(resource: OpenResource): void {
    if (!this.#open.delete(resource.opened.thing)) return
    if (!resource.ended()) this.#scope.forget(resource)
    this.#latecomers.remove(resource)
  }

  #sever(resource: OpenResource): void {
    this.#open.delete(resource.opened.thing)
    const { kind, name } = resource.opened
    const age = Math.round(this.#scope.clock.now() - resource.since)
    if (this.#severed.length < limits.reported) this.#severed.push({ kind, name, age })
    this.#severedTotal++
    this.#run(() => resource.opened.abort())
  }
}
