import type { Content } from './messages.ts'

/** Somebody wants an answer. */
export interface Ask {
  /** What the model is told for this answer alone. */
  readonly turns: readonly Content[]
  /** It comes by itself: the user's turn was committed. */
  owed: boolean
  /** The service has interrupted whatever there was of it. */
  interrupted: boolean
}

/** What the service is still to be asked and told. */
export class Asks {
  /** Not begun, in order. */
  readonly #asks: Ask[] = []
  #sent = false
  /** Answers that it will give by itself, and nobody has asked for. */
  #owed = 0
  #added: Content[] = []

  /** The next one to begin. */
  get first(): Ask | undefined {
    return this.#asks[0]
  }

  /** The service works on the first one. */
  get sent(): boolean {
    return this.#sent
  }

  /** There is something to tell. */
  get added(): boolean {
    return this.#added.length > 0
  }

  ask(turns: readonly Content[]): void {
    const owed = turns.length === 0 && this.#owed > 0
    if (owed) this.#owed--
    this.#asks.push({ turns, owed, interrupted: false })
  }

  add(contents: readonly Content[]): void {
    this.#added.push(...contents)
  }

  takeAdded(): Content[] {
    return this.#added.splice(0)
  }

  /** The user's turn was committed: the service will answer. */
  committed(): void {
    this.#owed++
  }

  /** The service is asked the first one. */
  send(): void {
    this.#sent = true
  }

  /** An answer begins: to the first one if the service was asked, else by itself. */
  begin(): Ask | undefined {
    if (!this.#sent) {
      this.#owed = Math.max(0, this.#owed - 1)
      return undefined
    }
    this.#sent = false
    return this.#asks.shift()
  }

  /** The connection is gone: the next one has to be asked for everything. */
  lost(): void {
    this.#sent = false
    this.#owed = 0
    for (const ask of this.#asks) ask.owed = ask.interrupted = false
  }
}
