/** The words of an agent while they are spoken. */
export class SpokenWords {
  /** The id of the item, as soon as there is one. */
  readonly id: string
  readonly #write: (text: string, interrupted: true | undefined, open: boolean) => void
  #text = ''

  /** @internal Made by `History.speak`. */
  constructor(id: string, write: (text: string, interrupted: true | undefined, open: boolean) => void) {
    this.id = id
    this.#write = write
  }

  /** All that was heard so far; it replaces what was there before. While it is nothing, there is no item (SP6). */
  heard(text: string): void {
    if (text === this.#text) return
    this.#text = text
    this.#write(text, undefined, true)
  }

  /** Nothing more will be heard. What comes after this changes nothing. */
  end({ interrupted = false }: { readonly interrupted?: boolean } = {}): void {
    this.#write(this.#text, interrupted ? true : undefined, false)
  }
}
