import { OptionError } from '../scope/index.ts'
import type { FaultInfo } from './wire/index.ts'

/** Faults that can be switched on, given by whoever makes the sessions. The host carries their names, and no more. */
export interface FaultBoard {
  list(): readonly { readonly name: string; readonly about: string }[]
  /** From now on these strike, and no others. */
  set(names: readonly string[]): void
}

/** A board, and what is switched on. */
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

  /** Throws `OptionError` for a name that there is not. */
  set(names: readonly string[]): void {
    const known = new Set(this.#board.list().map(({ name }) => name))
    const unknown = names.find((name) => !known.has(name))
    if (unknown !== undefined)
      throw new OptionError(`there is no fault '${unknown}'; there are: ${[...known].join(', ')}`)
    this.#board.set([...new Set(names)])
    this.#on.clear()
    for (const name of names) this.#on.add(name)
    for (const watcher of this.#watchers) watcher()
  }

  /** Calls back when something is switched. Returns the way to stop. */
  watch(watcher: () => void): () => void {
    const own = (): void => watcher()
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }
}
