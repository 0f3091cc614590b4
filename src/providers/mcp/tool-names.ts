import { limits } from './limits.ts'

/**
 * Makes tool names that every model accepts: letters, digits, `_` and `-`, at most `limits.name` characters, not starting
 * with a digit. A number is appended to a name that is already taken.
 */
export class ToolNames {
  readonly #prefix: string
  readonly #taken = new Set<string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Returns a unique name. The same tools in the same order always get the same names. */
  take(name: string): string {
    const safe = `${this.#prefix}${name}`.replaceAll(/[^\w-]+/g, '_').replace(/^(?![a-z_])/i, '_')
    let free = safe.slice(0, limits.name)
    for (let number = 2; this.#taken.has(free); number++) {
      const suffix = `_${number}`
      free = safe.slice(0, limits.name - suffix.length) + suffix
    }
    this.#taken.add(free)
    return free
  }
}
