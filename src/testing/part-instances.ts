import type { PartContext } from '../parts/index.ts'
import { PartInstance } from './part-instance.ts'
import { never } from './never.ts'
import { type OptionNames } from '../scope/index.ts'

/** How a scripted part opens and closes. Default: without errors and without delay. */
export interface PartManners {
  /** The name of its resource, which is part of the names of faults (`open:stt`, `close:stt`). */
  name?: string
  /** How long opening takes, in milliseconds. */
  openTakes?: number
  /** Opening never settles and ignores its signal. */
  openHangs?: boolean
  /** Opening rejects with this. */
  openFails?: unknown
  /** How long `close()` takes, in milliseconds. */
  closeTakes?: number
  /** `close()` never settles. */
  closeHangs?: boolean
  /** `close()` rejects with this. */
  closeFails?: unknown
}

export const mannerNames: OptionNames<PartManners> = {
  name: true,
  openTakes: true,
  openHangs: true,
  openFails: true,
  closeTakes: true,
  closeHangs: true,
  closeFails: true,
}

/** How many instances a part has opened, and how they ended. */
export interface PartCounts {
  /** Calls of `open()`. */
  readonly asked: number
  readonly opened: number
  readonly closed: number
  readonly aborted: number
  /** Instances that are open now. */
  readonly live: number
}

/** Opens the instances of one part, and counts them. */
export class PartInstances implements PartCounts {
  readonly name: string
  asked = 0
  opened = 0
  closed = 0
  aborted = 0
  readonly #manners: PartManners
  readonly #ends: 'closed' | 'acknowledged' | undefined

  /** `ends` is how its connection ends after a successful close. Undefined if the part has no connection. */
  constructor(name: string, manners: PartManners, ends?: 'closed' | 'acknowledged') {
    this.name = manners.name ?? name
    this.#manners = manners
    this.#ends = ends
  }

  get live(): number {
    return this.opened - this.closed - this.aborted
  }

  /** Opens an instance as a resource of the context's scope. */
  async open<T extends object>(context: PartContext, make: (instance: PartInstance) => T): Promise<T> {
    this.asked++
    const instance = new PartInstance(this.name, context, this.#ends !== undefined)
    return context.scope.open(
      this.name,
      async (signal) => {
        await this.#opening(instance, signal)
        this.opened++
        return make(instance)
      },
      {
        closing: (_, reason) => instance.notifyClosing(reason),
        close: () => this.#close(instance),
        abort: () => this.#end(instance, 'aborted'),
      },
    )
  }

  async #opening(instance: PartInstance, signal: AbortSignal): Promise<void> {
    const { openTakes = 0, openHangs = false, openFails } = this.#manners
    if (openHangs) await never()
    if (openTakes > 0) await instance.wait(openTakes, 'opens', signal)
    if (openFails !== undefined) throw openFails
  }

  async #close(instance: PartInstance): Promise<void> {
    const { closeTakes = 0, closeHangs = false, closeFails } = this.#manners
    if (closeHangs) await never()
    if (closeTakes > 0) await instance.wait(closeTakes, 'closes')
    if (closeFails !== undefined) throw closeFails
    instance.disconnected(this.#ends ?? 'closed')
    this.#end(instance, 'closed')
  }

  #end(instance: PartInstance, how: 'closed' | 'aborted'): void {
    instance.disconnected(how)
    if (instance.end()) this[how]++
  }
}
