import type { PartContext } from '../parts/index.ts'
import { PartLife } from './part-life.ts'
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
export class PartLives implements PartCounts {
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
  async open<T extends object>(context: PartContext, make: (life: PartLife) => T): Promise<T> {
    this.asked++
    const life = new PartLife(this.name, context, this.#ends !== undefined)
    return context.scope.open(
      this.name,
      async (signal) => {
        await this.#opening(life, signal)
        this.opened++
        return make(life)
      },
      {
        closing: (_, reason) => life.tell(reason),
        close: () => this.#close(life),
        abort: () => this.#end(life, 'aborted'),
      },
    )
  }

  async #opening(life: PartLife, signal: AbortSignal): Promise<void> {
    const { openTakes = 0, openHangs = false, openFails } = this.#manners
    if (openHangs) await never()
    if (openTakes > 0) await life.wait(openTakes, 'opens', signal)
    if (openFails !== undefined) throw openFails
  }

  async #close(life: PartLife): Promise<void> {
    const { closeTakes = 0, closeHangs = false, closeFails } = this.#manners
    if (closeHangs) await never()
    if (closeTakes > 0) await life.wait(closeTakes, 'closes')
    if (closeFails !== undefined) throw closeFails
    life.disconnected(this.#ends ?? 'closed')
    this.#end(life, 'closed')
  }

  #end(life: PartLife, how: 'closed' | 'aborted'): void {
    life.disconnected(how)
    if (life.end()) this[how]++
  }
}
