import type pg from 'pg'
import { noop, systemClock, systemRandom, type Timer } from '../../../scope/index.ts'
import type { Wake, WakeListener } from '../journal.ts'
import { Listeners } from '../listeners.ts'

/** The delays between attempts to connect, in milliseconds. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000

/**
 * Listens to notifications on a connection of its own, from the first listener on, and connects again when it is lost.
 * Wakes all listeners each time it begins to listen, because it has missed what was sent before.
 */
export class Listener {
  readonly #channel: string
  readonly #newClient: () => pg.Client
  readonly #listeners = new Listeners()
  #client: pg.Client | undefined
  #timer: Timer | undefined
  #failures = 0
  #started = false
  #closed = false

  constructor(channel: string, newClient: () => pg.Client) {
    this.#channel = channel
    this.#newClient = newClient
  }

  /** Calls the listeners of this process. */
  notify(what: Wake): void {
    this.#listeners.notify(what)
  }

  add(listener: WakeListener): () => void {
    if (!this.#started) this.#connect()
    this.#started = true
    return this.#listeners.add(listener)
  }

  #connect(): void {
    if (this.#closed) return
    const client = this.#newClient()
    this.#client = client
    const lost = (): void => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload }) => {
      const [what, host] = payload?.split(' ') ?? []
      if (what === 'orders' || what === 'work') this.#listeners.notify(what, host)
    })
    this.#listen(client).catch(lost)
  }

  async #listen(client: pg.Client): Promise<void> {
    await client.connect()
    await client.query(`listen ${this.#channel}`)
    this.#failures = 0
    if (this.#closed) return
    this.#listeners.notify('orders')
    this.#listeners.notify('work')
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(noop)
    if (this.#closed) return
    this.#failures += 1
    const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(this.#failures - 1, 10))
    // At random: the hosts of a fleet lose their connections at the same time.
    const delay = longest * (0.5 + systemRandom.next() / 2)
    this.#timer = systemClock.after(delay, 'connect the listener of the journal', () => this.#connect())
  }

  close(): void {
    this.#closed = true
    this.#timer?.clear()
    const client = this.#client
    this.#client = undefined
    client?.end().catch(noop)
  }
}
