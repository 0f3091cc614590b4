import { noop, type Scope } from '../../scope/index.ts'

/** What a machine settles. If the session closes in the same moment, the outcome counts all the same. */
export class Outcome<T> {
  #value: T | undefined
  #resolve: () => void = noop
  readonly #settled = new Promise<void>((resolve) => {
    this.#resolve = resolve
  })

  settle(value: T): void {
    this.#value = value
    this.#resolve()
  }

  /** Waits for the outcome. Undefined if the scope closes before there is one. */
  async until(scope: Scope<string>): Promise<T | undefined> {
    await scope.until(this.#settled).catch(noop)
    return this.#value
  }
}
