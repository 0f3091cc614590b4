/** A menu that was answered with keys. */
interface Visit {
  readonly words: ReadonlySet<string>
  readonly keys: string
}

/** Two menus are the same if they share this much of the shorter one: what was understood differs a little every time. */
const SAME = 0.8

/** A text with fewer words is the same only if all of them are. */
const FEW_WORDS = 4

/** How many visits to remember. Older ones are forgotten: a way out of more menus than that is not in sight. */
const MOST_VISITS = 100

/** Notices that an agent goes in a circle in a telephone menu (KY8). */
export class MenuGuard {
  readonly #visits: Visit[] = []

  /**
   * The agent wants to press these keys after it has heard this text, which is empty if nothing was said since the last keys.
   * Returns how often it has been here, this time included: at the same menu or, if nothing was said, with the same keys.
   */
  visit(heard: string, keys: string): number {
    const words = wordsOf(heard)
    const count = 1 + (words.size > 0 ? this.#visitsTo(words) : this.#pressesOf(keys))
    this.#visits.push({ words, keys })
    if (this.#visits.length > MOST_VISITS) this.#visits.shift()
    return count
  }

  #visitsTo(words: ReadonlySet<string>): number {
    return this.#visits.filter((visit) => isSame(visit.words, words)).length
  }

  /** How often these keys were pressed since something was said. Other keys in between are an entry that goes on. */
  #pressesOf(keys: string): number {
    let count = 0
    for (const visit of this.#visits.toReversed()) {
      if (visit.keys !== keys) break
      count++
      if (visit.words.size > 0) break
    }
    return count
  }
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [short, long] = one.size < other.size ? [one, other] : [other, one]
  if (short.size === 0) return false
  if (short.size < FEW_WORDS && short.size !== long.size) return false
  const shared = [...short].filter((word) => long.has(word)).length
  return shared >= (short.size < FEW_WORDS ? short.size : short.size * SAME)
}
