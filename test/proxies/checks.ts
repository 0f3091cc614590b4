import { systemClock } from '../../src/scope/index.ts'

/** How long one check may take, in milliseconds: only what hangs takes longer. */
const LIMIT = 60_000

export interface Check {
  readonly proxy: string
  readonly what: string
  readonly ok: boolean
  /** What was found, if it is not what was wanted. */
  readonly found?: string
}

/** Runs checks one after the other, each within a time limit, and keeps their outcomes. */
export class Checks {
  readonly list: Check[] = []
  readonly #proxy: string
  readonly #report: (check: Check) => void

  constructor(proxy: string, report: (check: Check) => void) {
    this.#proxy = proxy
    this.#report = report
  }

  /** Succeeds if `look` resolves to `wanted`. */
  async is(what: string, wanted: unknown, look: () => Promise<unknown>): Promise<void> {
    const outcome = await within(look).then(
      (value) => JSON.stringify(value),
      (error: unknown) => String(error),
    )
    const ok = outcome === JSON.stringify(wanted)
    this.#add({ proxy: this.#proxy, what, ok, ...(ok ? {} : { found: outcome }) })
  }

  /** Runs a group of checks. Whatever ends it early is a failure. */
  async group(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#add({ proxy: this.#proxy, what, ok: false, found: String(error) })
    }
  }

  #add(check: Check): void {
    this.list.push(check)
    this.#report(check)
  }
}

function within<T>(look: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.after(LIMIT, 'a check', () => reject(new Error(`not within ${LIMIT} ms`)))
    look()
      .then(resolve, reject)
      .finally(() => timer.clear())
  })
}
