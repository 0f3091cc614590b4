/** Names for what a server makes: `item_1`, `resp_2`. They count through, so no two are the same in one server. */
export class Ids {
  #made = 0

  next(prefix: string): string {
    return `${prefix}_${++this.#made}`
  }
}
