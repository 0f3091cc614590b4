import { limits } from './limits.ts'

/**
 * Names that every model takes: letters, digits, `_` and `-`, not too long, the first no digit. Two tools that would
 * have the same name are told apart by a number.
 */
export class ToolNames {
  readonly #prefix: string
  readonly #taken = new Set<string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The name for a tool. The same tools in the same order always get the same names. */
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
