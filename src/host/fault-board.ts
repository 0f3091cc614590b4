import { OptionError } from '../scope/index.ts'
import type { FaultInfo } from './wire/index.ts'

/** Faults that can be switched on, implemented by the code that creates the sessions. The host knows only their names. */
export interface FaultBoard {
  list(): readonly { readonly name: string; readonly about: string }[]
  /** Switches these faults on, and all others off. */
  set(names: readonly string[]): void
}

/** A fault board and the faults that are on. */
export class Faults {
  readonly #board: FaultBoard
  readonly #on = new Set<string>()
  readonly #watchers = new Set<() => void>()

  constructor(board: FaultBoard) {
    this.#board = board
  }

  list(): FaultInfo[] {
    return this.#board.list().map(({ name, about }) => ({ name, about, on: this.#on.has(name) }))
  }

  /** Throws `OptionError` for an unknown name. */
  set(names: readonly string[]): void {
    const known = new Set(this.#board.list().map(({ name }) => name))
    const unknown = names.find((name) => !known.has(name))
    if (unknown !== undefined)
      throw new OptionError(`unknown fault '${unknown}'; known are: ${[...known].join(', ')}`)
    this.#board.set([...new Set(names)])
    this.#on.clear()
    for (const name of names) this.#on.add(name)
    for (const watcher of this.#watchers) watcher()
  }

  /** Calls `watcher` after each change. Returns an unsubscribe function. */
  watch(watcher: () => void): () => void {
    const own = (): void => watcher()
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }
}
