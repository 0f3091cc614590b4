import type { CallWrite, Journal, LostCall, WriteResult } from '../../../src/host/journal/index.ts'
import type { World } from '../../../src/testing/index.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'

/** What the world itself observed about one call. */
export interface CallFacts {
  readonly id: string
  /** Whether any process was allowed to answer it. */
  answered: boolean
  /** The processes that serve it, with the fence under which each does. */
  readonly servers: Map<string, Serving>
  /** Whether it was opened in more than one process. */
  moved: boolean
  /** What was said, as long as it has not moved. */
  readonly said: string[]
  /** When its process was lost. */
  lostAt: number | undefined
  closedAt: number | undefined
  closedFence: number | undefined
  /** The report that was written first. */
  report: string | undefined
  closedBy: 'owner' | 'fleet' | undefined
  hungUp: number
  announced: number
}

export interface Serving {
  readonly host: string
  readonly worker: string
  readonly fence: number
  /** When this process last was the owner of the call, or could not know that it is not: it was frozen or away. */
  excusedAt: number
}

/** The database, and everything that must be true of what is written to it. */
export class FleetFacts {
  readonly world: World
  readonly database: MemoryJournal
  readonly calls = new Map<string, CallFacts>()

  constructor(world: World) {
    this.world = world
    this.database = new MemoryJournal({ clock: world.clock })
  }

  call(id: string): CallFacts {
    const known = this.calls.get(id)
    if (known) return known
    const call: CallFacts = {
      id,
      answered: false,
      servers: new Map(),
      moved: false,
      said: [],
      lostAt: undefined,
      closedAt: undefined,
      closedFence: undefined,
      report: undefined,
      closedBy: undefined,
      hungUp: 0,
      announced: 0,
    }
    this.calls.set(id, call)
    return call
  }

  /** A connection that is watched. */
  connection(journal: MemoryJournal, by: 'owner' | 'fleet'): Journal {
    const write = async (batch: readonly CallWrite[]): Promise<readonly WriteResult[]> => {
      const before = new Map<string, number>()
      for (const each of batch) if (each.type === 'close') before.set(each.call, each.fence)
      const wasOpen = [...before.keys()].filter((id) => this.call(id).closedAt === undefined)
      const answer = journal.write(batch)
      // A write takes effect at once, even if its answer is late or lost.
      await this.#noteClosed(wasOpen, batch, by)
      return answer
    }
    return new Proxy(journal, {
      get: (target, name: keyof Journal) => {
        if (name === 'write') return write
        const value = target[name]
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
      },
    })
  }

  async #noteClosed(
    ids: readonly string[],
    batch: readonly CallWrite[],
    by: 'owner' | 'fleet',
  ): Promise<void> {
    for (const id of ids) {
      const record = await this.database.find(id)
      const facts = this.call(id)
      if (record?.state !== 'closed' || facts.closedAt !== undefined) continue
      facts.closedAt = this.world.clock.now()
      facts.closedFence = record.fence
      facts.closedBy = by
      for (const [name, { fence }] of facts.servers)
        if (by === 'fleet' && fence >= record.fence)
          this.world.violate('HO34', `${id} was closed as lost, and ${name} serves it`)
      const fits = batch.some(
        (each) => each.type === 'close' && each.call === id && each.fence === record.fence,
      )
      if (!fits) this.world.violate('HO13', `${id} was closed by a write with another fence`)
      facts.report = JSON.stringify(await this.database.report(id))
      this.world.tell(`${id} is closed: ${record.reason} (fence ${record.fence})`)
    }
  }

  /** A host with these ids dies. Its orphans have to wait once more. */
  lose(hosts: ReadonlySet<string>): void {
    this.database.list({ state: 'live' }).then(
      (records) => {
        for (const { id, host } of records) if (hosts.has(host)) this.call(id).lostAt = this.world.clock.now()
      },
      () => {},
    )
  }

  /** A host hangs up at the carrier. */
  hangUp({ id, fence }: LostCall): void {
    const { violate } = this.world
    const call = this.call(id)
    if (call.closedAt === undefined) violate('HO34', `${id} was hung up before it had a report`)
    else if (call.closedFence !== fence) violate('HO34', `${id} was hung up after it was taken over`)
    if (++call.hungUp > 1) violate('HO34', `${id} was hung up twice`)
  }

  /** A host announces the report of a lost call. */
  announce(id: string): void {
    if (++this.call(id).announced > 1) this.world.violate('HO34', `two reports of ${id} were announced`)
  }

  /** Checks what must be true once everything has ended. */
  async check(bound: number): Promise<void> {
    const { violate } = this.world
    for (const call of this.calls.values()) {
      const record = await this.database.find(call.id)
      if (!record) {
        if (call.answered) violate('HO1', `${call.id} was answered, and the journal does not know it`)
        continue
      }
      if (record.state !== 'closed') {
        violate('HO34', `${call.id} has no report`)
        continue
      }
      if (JSON.stringify(await this.database.report(call.id)) !== call.report)
        violate('HO34', `the report of ${call.id} has changed`)
      const work = await this.database.work({ call: call.id })
      if (work.length !== 1) violate('HO34', `${call.id} has ${work.length} pieces of work`)
      const due = (work[0]?.dueAt ?? 0) - (this.world.clock.date() - this.world.clock.now())
      if (Math.abs(due - call.closedAt!) >= 1)
        violate('HO34', `the work of ${call.id} is due at ${due}, and the call ended at ${call.closedAt}`)
      if (call.lostAt !== undefined && call.closedBy === 'fleet' && call.closedAt! - call.lostAt > bound)
        violate('HO34', `${call.id} was closed ${call.closedAt! - call.lostAt} ms after its process was lost`)
      await this.#checkWords(call)
    }
  }

  async #checkWords(call: CallFacts): Promise<void> {
    if (call.moved || call.closedBy !== 'owner') return
    const entries = await this.database.entries(call.id)
    const texts = entries.map(({ item }) => (item.type === 'message' ? item.text : ''))
    if (JSON.stringify(texts) !== JSON.stringify(call.said))
      this.world.violate(
        'HO1',
        `${call.id}: '${call.said.join(' ')}' was said, '${texts.join(' ')}' is stored`,
      )
  }
}
