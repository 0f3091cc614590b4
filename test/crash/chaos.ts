import { noop, systemClock } from '../../src/scope/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import type { Changes } from '../../src/testing/servers/changes.ts'
import type { CrashHost } from './crash-host.ts'
import { killingFaults, otherFaults, pause, type Card, type Done } from './faults.ts'
import type { Site } from './site.ts'

export interface ChaosOptions {
  readonly sites: readonly Site[]
  readonly random: SimRandom
  readonly changes: Changes
  readonly lease: number
  /** How many kills, at least. */
  readonly kills: number
  readonly progress: (done: Done, kills: number) => void
}

/** When a whole host was killed, by both clocks. */
export interface HostKill {
  readonly site: Site
  readonly now: number
  readonly date: number
}

/** How many kills go with one other fault. */
const KILLS_PER_FAULT = 4
/** How long a host may take to be up, with somebody talking, before the next fault comes anyway. */
const PATIENCE = 30_000
/** Worker kills per life of a host. Workers that die young are replaced slowly, and nothing would happen meanwhile. */
const WORKER_KILLS = 3

/** Kills and breaks things, at random, until it has killed enough. Resolves once everything is whole again. */
export class Chaos {
  readonly hostKills: HostKill[] = []
  kills = 0
  readonly #options: ChaosOptions
  readonly #decks = new Map<string, Card[]>()
  readonly #underWay = new Set<Promise<void>>()
  #exclusive = false
  #tries = 0

  constructor(options: ChaosOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { random, kills: wanted } = this.#options
    // Points that are not reached kill nothing: do not try for ever.
    while (this.kills < wanted && this.#tries < 3 * wanted + 30) {
      await this.#strike('kills', killingFaults)
      this.#tries++
      if (this.#tries % KILLS_PER_FAULT === 0) await this.#strike('others', otherFaults)
      await pause(random.int(100, 800))
    }
    await Promise.all(this.#underWay)
  }

  async #strike(name: string, make: (site: Site) => Card[]): Promise<void> {
    const victim = await this.#victim()
    if (victim) this.#begin(...victim, this.#deal(victim[0], name, make))
  }

  /** A host that is up and in no other trouble, once somebody talks. */
  async #victim(): Promise<readonly [Site, CrashHost] | undefined> {
    const { changes, random, sites } = this.#options
    const candidates = (): (readonly [Site, CrashHost])[] =>
      sites
        .filter(({ crowd }) => crowd && crowd.talking.length > 0)
        .flatMap((site) => site.hosts.filter(isFit).map((host) => [site, host] as const))
    let late = false
    const timer = systemClock.after(PATIENCE, 'a host is up', () => {
      late = true
      changes.notify()
    })
    await changes.until(() => late || candidates().length > 0)
    timer.clear()
    const found = candidates()
    return found.length > 0 ? random.pick(found) : undefined
  }

  #deal(site: Site, name: string, make: (site: Site) => Card[]): Card {
    const key = `${site.store} ${name}`
    const deck = this.#decks.get(key) ?? []
    this.#decks.set(key, deck)
    if (deck.length === 0) deck.push(...shuffled(make(site), this.#options.random))
    return deck.pop()!
  }

  #begin(site: Site, host: CrashHost, { fault, exclusive }: Card): void {
    if (exclusive && this.#exclusive) return
    const { random, lease, progress } = this.#options
    const now = systemClock.now()
    const date = systemClock.date()
    host.busy = true
    if (exclusive) this.#exclusive = true
    const spent = host.workersKilled >= WORKER_KILLS
    const done = fault({ site, host, random, lease })
      .then((result) => {
        this.kills += result.kills
        if (result.host) this.hostKills.push({ site, now, date })
        progress(result, this.kills)
        // A fresh supervisor replaces workers at once again.
        if (!spent) return
        host.killSupervisor()
        this.kills++
      })
      .catch((error: unknown) => progress({ what: `a fault failed: ${String(error)}`, kills: 0 }, this.kills))
      .finally(() => {
        host.busy = false
        if (exclusive) this.#exclusive = false
        this.#underWay.delete(done)
      })
    this.#underWay.add(done)
    done.catch(noop)
  }
}

const isFit = ({ up, busy }: CrashHost): boolean => up && !busy

function shuffled<T>(list: readonly T[], random: SimRandom): T[] {
  return list
    .map((value) => ({ value, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
