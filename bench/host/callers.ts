import type { Changes } from '../../src/testing/servers/changes.ts'
import { BrowserCaller } from '../../test/crash/browser-caller.ts'
import type { Caller } from '../../test/crash/caller.ts'
import { PhoneCaller } from '../../test/crash/phone-caller.ts'
import type { Site } from '../../test/crash/site.ts'

/** How long a call may last at most, in milliseconds. */
const LIFETIME = 120_000

/** Places calls with the hosts of a site. */
export class Callers {
  /** The names of the calls that were answered. */
  readonly answered = new Set<string>()
  readonly #site: Site
  readonly #changes: Changes

  constructor(site: Site, changes: Changes) {
    this.#site = site
    this.#changes = changes
  }

  /** Resolves when a new page has been greeted. */
  async page(types = ''): Promise<BrowserCaller> {
    return await this.#answered(new BrowserCaller({ ...this.#base, types }))
  }

  /** Resolves when the caller has heard the agent. */
  async phone(): Promise<PhoneCaller> {
    return await this.#answered(new PhoneCaller({ ...this.#base, carrier: this.#site.carrier }))
  }

  /** Resolves when all have been greeted. */
  async pages(count: number, types = ''): Promise<BrowserCaller[]> {
    return await Promise.all(Array.from({ length: count }, () => this.page(types)))
  }

  /** Resolves when the host has ended the calls. */
  async hangUp(callers: readonly Caller[]): Promise<void> {
    for (const caller of callers) caller.hangUp()
    await this.until(() => callers.every(({ over }) => over))
  }

  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  get #base(): { url: string; lifetime: number; changed: () => void } {
    return { url: this.#site.front.url, lifetime: LIFETIME, changed: () => this.#changes.notify() }
  }

  async #answered<C extends Caller>(caller: C): Promise<C> {
    await this.until(() => caller.answered || caller.over)
    if (!caller.answered) throw new Error(`a ${caller.kind} call was refused`)
    this.answered.add(caller.id)
    return caller
  }
}
