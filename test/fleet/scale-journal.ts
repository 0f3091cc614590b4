import type { CallWrite, HostRecord, Journal, LostCall, Owner } from '../../src/host/journal/index.ts'
import type { SimClock, SimRandom } from '../../src/testing/index.ts'
import { costs } from './costs.ts'
import type { ScaleStore } from './scale-store.ts'

export interface ScaleCall {
  readonly id: string
  host: string
  fence: number
  /** Whether a process serves it. */
  served: boolean
  closed: boolean
  lostAt: number | undefined
  adoptedAt: number | undefined
}

interface ScaleHost {
  leaseUntil: number
  dead: boolean
  /** Live calls. */
  readonly calls: Set<ScaleCall>
}

type Fleet = Pick<Journal, 'join' | 'beat' | 'leave' | 'adopt' | 'orphans' | 'write'>

/** The tables of a journal for very many hosts and calls, with the rules of the real one and the costs of the real one. */
export class ScaleJournal implements Fleet {
  readonly calls = new Map<string, ScaleCall>()
  readonly hosts = new Map<string, ScaleHost>()
  /** Hosts that were declared dead although they live. */
  falseDeaths = 0
  readonly #clock: SimClock
  readonly #random: SimRandom
  readonly #store: ScaleStore
  readonly #isUp: (host: string) => boolean
  readonly #dead = new Set<string>()

  constructor(clock: SimClock, random: SimRandom, store: ScaleStore, isUp: (host: string) => boolean) {
    this.#clock = clock
    this.#random = random
    this.#store = store
    this.#isUp = isUp
  }

  /** Puts a call into the tables, without a request. */
  add(id: string, host: string): void {
    const call: ScaleCall = {
      id,
      host,
      fence: 1,
      served: true,
      closed: false,
      lostAt: undefined,
      adoptedAt: undefined,
    }
    this.calls.set(id, call)
    this.hosts.get(host)!.calls.add(call)
  }

  join(host: HostRecord, lease: number): Promise<void> {
    return this.#store.request(costs.join, true, () => {
      const known = this.hosts.get(host.id) ?? { leaseUntil: 0, dead: false, calls: new Set<ScaleCall>() }
      known.leaseUntil = this.#clock.now() + lease
      this.hosts.set(host.id, known)
    })
  }

  beat(id: string, lease: number): Promise<{ readonly orders: readonly never[] } | undefined> {
    return this.#store.request(costs.beat, true, () => {
      const host = this.hosts.get(id)
      if (!host || host.dead) return undefined
      host.leaseUntil = this.#clock.now() + lease
      return { orders: [] }
    })
  }

  leave(id: string): Promise<void> {
    return this.#store.request(costs.leave, true, () => this.#bury(id))
  }

  adopt(id: string, limit: number): Promise<readonly LostCall[]> {
    // The cost is only known once the request is served, so the calls are charged in a second step.
    const found = this.#store.request(costs.adopt, true, () => this.#adoptNow(id, limit))
    return found.then((calls) =>
      calls.length === 0 ? calls : this.#store.request(costs.adoptCall * calls.length, false, () => calls, 0),
    )
  }

  #adoptNow(id: string, limit: number): LostCall[] {
    const adopter = this.hosts.get(id)
    const now = this.#clock.now()
    if (!adopter || adopter.dead || adopter.leaseUntil <= now) return []
    for (const [name, host] of this.hosts) {
      if (host.dead || host.leaseUntil > now) continue
      if (this.#isUp(name)) this.falseDeaths++
      this.#bury(name)
    }
    const taken: ScaleCall[] = []
    const dead = [...this.#dead]
    for (let tries = 0; tries < 5 && dead.length > 0 && taken.length < limit; tries++) {
      const [name] = dead.splice(this.#random.int(0, dead.length - 1), 1)
      const host = this.hosts.get(name!)!
      for (const call of host.calls) {
        if (taken.length >= limit) break
        taken.push(call)
        host.calls.delete(call)
      }
      if (host.calls.size === 0) this.#dead.delete(name!)
    }
    for (const call of taken) {
      call.host = id
      call.fence++
      call.served = false
      call.adoptedAt ??= now
      adopter.calls.add(call)
    }
    return taken.map((call) => this.#lost(call))
  }

  #bury(id: string): void {
    const host = this.hosts.get(id)
    if (!host) return
    host.dead = true
    if (host.calls.size > 0) this.#dead.add(id)
  }

  orphans(id: string): Promise<readonly LostCall[]> {
    return this.#store.request(costs.orphans, false, () =>
      [...(this.hosts.get(id)?.calls ?? [])].filter(({ served }) => !served).map((call) => this.#lost(call)),
    )
  }

  /** Hosts write only the reports of lost calls here. */
  write(batch: readonly CallWrite[]): Promise<readonly ('written' | 'fenced')[]> {
    return this.#store.request(costs.close * batch.length, true, () =>
      batch.map((write) => {
        const call = write.type === 'open' ? undefined : this.calls.get(write.call)
        if (!call || write.type !== 'close' || call.fence !== write.fence) return 'fenced'
        call.closed = true
        this.hosts.get(call.host)?.calls.delete(call)
        return 'written'
      }),
    )
  }

  /** A caller comes back to a host: true if the call goes on there. */
  async comeBack(id: string, { host }: Pick<Owner, 'host'>): Promise<boolean> {
    const lost = await this.#store.request(costs.find, false, () => {
      const call = this.calls.get(id)!
      const owner = this.hosts.get(call.host)
      return !call.closed && (!call.served || !owner || owner.dead || owner.leaseUntil <= this.#clock.now())
    })
    if (!lost) return false
    return await this.#store.request(costs.take, true, () => {
      const call = this.calls.get(id)!
      const taker = this.hosts.get(host)
      if (call.closed || !taker || taker.dead) return false
      if (call.served && this.#isUp(call.host)) return false
      this.hosts.get(call.host)?.calls.delete(call)
      call.host = host
      call.fence++
      call.served = true
      call.adoptedAt ??= this.#clock.now()
      taker.calls.add(call)
      return true
    })
  }

  #lost({ id, host, fence }: ScaleCall): LostCall {
    const resume = { key: 'hash' }
    return {
      id,
      state: 'live',
      host,
      fence,
      agent: 'desk',
      line: 'browser',
      openedAt: 0,
      resume,
      entries: [],
    }
  }
}
