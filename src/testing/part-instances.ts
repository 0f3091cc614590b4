import type { PartContext } from '../parts/index.ts'
import { PartInstance } from './part-instance.ts'
import { never } from './never.ts'

/** How a scripted part behaves when it is opened and ended. Unset means politely and at once. */
export interface PartManners {
  /** The name of its resource, by which faults are injected (`open:stt`, `close:stt`). */
  name?: string
  /** Milliseconds until it is open. */
  openTakes?: number
  /** It never opens and ignores its signal. */
  openHangs?: boolean
  /** It cannot be opened: this is thrown. */
  openFails?: unknown
  /** Milliseconds that its `close()` takes. */
  closeTakes?: number
  /** Its `close()` never settles. */
  closeHangs?: boolean
  /** Its `close()` rejects with this. */
  closeFails?: unknown
}

/** How many living things a part has made, and how they ended. */
export interface PartCounts {
  /** How often somebody asked. */
  readonly asked: number
  readonly opened: number
  readonly closed: number
  readonly aborted: number
  /** Open now. */
  readonly live: number
}

/** Counts for one part, and opens its living things in the scope they belong to. */
export class PartInstances implements PartCounts {
  readonly name: string
  asked = 0
  opened = 0
  closed = 0
  aborted = 0
  readonly #manners: PartManners
  readonly #ends: 'closed' | 'acknowledged' | undefined

  /** `ends` says how its connection ends if all goes well; unset, it has none. */
  constructor(name: string, manners: PartManners, ends?: 'closed' | 'acknowledged') {
    this.name = manners.name ?? name
    this.#manners = manners
    this.#ends = ends
  }

  get live(): number {
    return this.opened - this.closed - this.aborted
  }

  /** Opens what `make` makes as a resource of the context's scope. */
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
