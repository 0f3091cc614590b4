/** Makes ids such as `item_1` and `resp_2`. All prefixes share one counter, so every number is unique. */
export class Ids {
  #last = 0

  next(prefix: string): string {
    return `${prefix}_${++this.#last}`
  }
}
