import {
  JournalUnavailableError,
  Listeners,
  type Beat,
  type CallQuery,
  type CallRecord,
  type CallRecording,
  type CallWrite,
  type Claim,
  type ClaimedWork,
  type DialEnd,
  type DialRecord,
  type Entry,
  type HostRecord,
  type HostState,
  type Journal,
  type LostCall,
  type NewDial,
  type Order,
  type Owner,
  type WakeListener,
  type WorkCounts,
  type WorkOutcome,
  type WorkQuery,
  type WorkRecord,
  type WorkState,
  type WriteResult,
} from '../host/journal/index.ts'
import { systemClock, type Clock } from '../scope/index.ts'
import type { SessionReport } from '../session/index.ts'
import { withFault, type JournalFaults } from './journal-fault.ts'
import { dialLost } from './memory-dials.ts'
import {
  MemoryStore,
  entriesOf,
  lostCall,
  workRecord,
  type MemoryCall,
  type MemoryWork,
} from './memory-store.ts'

export interface MemoryJournalOptions {
  readonly clock?: Clock
  readonly fault?: JournalFaults
}

type Step = { readonly key: string; readonly fence: number }

/**
 * A journal in memory: the model that simulations run against, and that the journals in real databases are compared with.
 * Its clock is the database's clock.
 *
 * ```ts
 * const journal = new MemoryJournal({ clock, fault: (method) => (method === 'beat' ? 'fail' : undefined) })
 * const other = journal.another({ clock })
 * ```
 */
export class MemoryJournal implements Journal {
  readonly #clock: Clock
  readonly #fault: JournalFaults
  readonly #store: MemoryStore
  readonly #listeners: Listeners
  #closed = false

  constructor(options: MemoryJournalOptions = {}, shared?: MemoryJournal) {
    this.#clock = options.clock ?? systemClock
    this.#fault = options.fault ?? (() => undefined)
    this.#store = shared ? shared.#store : new MemoryStore()
    this.#listeners = shared ? shared.#listeners : new Listeners()
  }

  /** Another connection to the same database. */
  another(options: MemoryJournalOptions = {}): MemoryJournal {
    return new MemoryJournal({ clock: this.#clock, ...options }, this)
  }

  get #now(): number {
    return this.#clock.date()
  }

  async #request<T>(method: keyof Journal, work: (store: MemoryStore) => T): Promise<T> {
    if (this.#closed) throw new JournalUnavailableError('memory', 'it is closed')
    return withFault(this.#clock, this.#fault(method), () => this.#store.copy({ is: work(this.#store) }).is)
  }

  // ── hosts ──

  join(host: HostRecord, lease: number): Promise<void> {
    return this.#request('join', ({ hosts }) => {
      const known = hosts.get(host.id) ?? { ...host, startedAt: this.#now, draining: false }
      hosts.set(host.id, { ...known, leaseUntil: this.#now + lease })
    })
  }

  beat(host: string, lease: number): Promise<Beat | undefined> {
    return this.#request('beat', ({ hosts, live }) => {
      const known = hosts.get(host)
      if (!known) return undefined
      known.leaseUntil = this.#now + lease
      const mine = [...live.values()].filter(({ record }) => record.owner?.host === host)
      const orders = mine.flatMap(({ record, orders: left }) =>
        [...left].map((order) => ({ call: record.id, order })),
      )
      for (const call of mine) call.orders.clear()
      return known.draining ? { orders, draining: true } : { orders }
    })
  }

  drain(host: string): Promise<void> {
    return this.#request('drain', ({ hosts }) => {
      const known = hosts.get(host)
      if (known) known.draining = true
    })
  }

  leave(host: string): Promise<void> {
    return this.#request('leave', ({ hosts }) => void hosts.delete(host))
  }

  hosts(): Promise<readonly HostState[]> {
    return this.#request('hosts', ({ hosts }) =>
      [...hosts.values()].map((host) => ({ ...host, expired: host.leaseUntil <= this.#now })),
    )
  }

  #isAlive(host: string): boolean {
    return (this.#store.hosts.get(host)?.leaseUntil ?? Number.NEGATIVE_INFINITY) > this.#now
  }

  // ── calls ──

  write(batch: readonly CallWrite[]): Promise<readonly WriteResult[]> {
    return this.#request('write', () => batch.map((write) => (this.#write(write) ? 'written' : 'fenced')))
  }

  #write(write: CallWrite): boolean {
    if (write.type === 'open') return this.#open(write)
    const call = this.#store.calls.get(write.call)
    if (!call || call.record.fence !== write.fence) return false
    const live = call.record.state === 'live'
    if (write.type === 'entries' && !live) return write.entries.every(({ seq }) => call.entries.has(seq))
    if (write.type === 'entries') this.#store.append(call, write.entries)
    else if (live) {
      this.#store.close(call, write.report, this.#now, write.summary)
      if (call.work.length > 0) this.#listeners.notify('work')
    }
    return true
  }

  #open({ call }: CallWrite & { type: 'open' }): boolean {
    const known = this.#store.calls.get(call.id)?.record
    if (known) {
      const { owner, fence, state } = known
      const same = owner?.host === call.owner.host && owner.worker === call.owner.worker
      return same && fence === 1 && state === 'live'
    }
    this.#store.open(call)
    return true
  }

  orphan(host: string, worker: string): Promise<readonly LostCall[]> {
    const isTheirs = (owner: Owner | undefined): boolean => owner?.host === host && owner.worker === worker
    return this.#request('orphan', ({ dials }) => {
      dials.lose(isTheirs)
      return this.#makeOrphans(
        this.#live().filter(({ record }) => isTheirs(record.owner)),
        host,
      )
    })
  }

  adopt(host: string, limit: number): Promise<readonly LostCall[]> {
    return this.#request('adopt', ({ hosts }) => {
      if (!this.#isAlive(host)) return []
      for (const id of hosts.keys()) if (!this.#isAlive(id)) hosts.delete(id)
      const lost = this.#live().filter(({ record }) => !hosts.has(record.host))
      return this.#makeOrphans(lost.slice(0, limit), host)
    })
  }

  orphans(host: string): Promise<readonly LostCall[]> {
    return this.#request('orphans', () =>
      this.#live()
        .filter(({ record }) => record.host === host && !record.owner)
        .map(lostCall),
    )
  }

  take(call: string, owner: Owner): Promise<LostCall | undefined> {
    return this.#request('take', ({ calls, hosts }) => {
      const found = calls.get(call)
      if (found?.record.state !== 'live' || !this.#isAlive(owner.host)) return undefined
      const { orphanedAt: _, ...record } = found.record
      const { owner: before, host, fence } = record
      if (before && JSON.stringify(before) === JSON.stringify(owner)) return lostCall(found)
      if (before && this.#isAlive(host)) return undefined
      if (before) hosts.delete(host)
      found.record = { ...record, owner, host: owner.host, fence: fence + 1 }
      return lostCall(found)
    })
  }

  /** The live calls, oldest first. */
  #live(): MemoryCall[] {
    return [...this.#store.live.values()].toSorted(
      ({ record: a }, { record: b }) => a.openedAt - b.openedAt || (a.id < b.id ? -1 : 1),
    )
  }

  #makeOrphans(calls: readonly MemoryCall[], host: string): readonly LostCall[] {
    return calls.map((call) => {
      const { owner: _, ...record } = call.record
      call.record = { ...record, host, fence: record.fence + 1, orphanedAt: this.#now }
      return lostCall(call)
    })
  }

  find(call: string): Promise<CallRecord | undefined> {
    return this.#request('find', ({ calls }) => {
      const record = calls.get(call)?.record
      const lost = record?.state === 'live' && !this.#isAlive(record.host)
      return lost ? { ...record, hostLost: true as const } : record
    })
  }

  list(query: CallQuery): Promise<readonly CallRecord[]> {
    return this.#request('list', (store) => store.list(query))
  }

  report(call: string): Promise<SessionReport | undefined> {
    return this.#request('report', (store) => store.report(call))
  }

  entries(call: string): Promise<readonly Entry[]> {
    return this.#request('entries', ({ calls }) => entriesOf(calls.get(call)))
  }

  order({ call, order }: Order): Promise<boolean> {
    return this.#request('order', ({ calls }) => {
      const found = calls.get(call)
      if (found?.record.state !== 'live' || !found.record.owner) return false
      found.orders.add(order)
      this.#listeners.notify('orders', found.record.host)
      return true
    })
  }

  // ── work ──

  claim(owner: string, { limit, lease }: { limit: number; lease: number }): Promise<Claim> {
    return this.#request('claim', () => {
      const open = this.#store.openWork()
      const items = open
        .filter(({ dueAt }) => dueAt! <= this.#now)
        .slice(0, limit)
        .map((work) => this.#claimed(work, owner, this.#now + lease))
      const later = open.filter((work) => work.state === 'waiting' || work.owner !== owner)
      const next = Math.min(...later.map(({ dueAt }) => dueAt!))
      return { items, ...(later.length > 0 ? { nextIn: Math.max(0, next - this.#now) } : {}) }
    })
  }

  #claimed(work: MemoryWork, owner: string, until: number): ClaimedWork {
    Object.assign(work, { state: 'running', owner, dueAt: until })
    work.fence += 1
    work.attempts += 1
    const { key, call, handler, fence, attempts: attempt, since } = work
    const { record, report } = this.#store.calls.get(call)!
    const { trace } = record
    return {
      key,
      call,
      handler,
      fence,
      attempt,
      since: since!,
      report: report!,
      ...(trace === undefined ? {} : { trace }),
    }
  }

  renew(owner: string, work: readonly Step[], lease: number): Promise<readonly string[]> {
    return this.#request('renew', () => {
      const kept = work
        .flatMap((step) => this.#running(step) ?? [])
        .filter((running) => running.owner === owner)
      for (const each of kept) each.dueAt = this.#now + lease
      return kept.map(({ key }) => key)
    })
  }

  #running({ key, fence }: Step): MemoryWork | undefined {
    const work = this.#store.work.get(key)
    return work?.fence === fence && work.state === 'running' ? work : undefined
  }

  settle(step: Step, outcome: WorkOutcome): Promise<boolean> {
    return this.#request('settle', ({ work: all }) => {
      const work = this.#running(step)
      if (!work) return all.get(step.key)?.fence === step.fence
      work.state = outcome.state
      delete work.owner
      delete work.error
      if (outcome.state === 'done') work.doneAt = this.#now
      else work.error = outcome.error
      if (outcome.state === 'waiting') work.dueAt = this.#now + outcome.delay
      return true
    })
  }

  release(owner: string): Promise<number> {
    return this.#request('release', ({ work }) => {
      const released = [...work.values()].filter((each) => each.state === 'running' && each.owner === owner)
      for (const each of released) {
        Object.assign(each, { state: 'waiting', dueAt: this.#now, fence: each.fence + 1 })
        delete each.owner
      }
      if (released.length > 0) this.#listeners.notify('work')
      return released.length
    })
  }

  retry({ key, call }: { key?: string; call?: string }): Promise<number> {
    const states: readonly WorkState[] =
      key === undefined && call === undefined ? ['dead'] : ['dead', 'waiting']
    return this.#request('retry', ({ work }) => {
      const due = [...work.values()]
        .filter((each) => states.includes(each.state) && each.dueAt !== undefined)
        .filter((each) => (key ?? each.key) === each.key && (call ?? each.call) === each.call)
      for (const each of due) {
        if (each.state === 'dead') Object.assign(each, { since: this.#now, attempts: 0 })
        Object.assign(each, { state: 'waiting', dueAt: this.#now })
      }
      if (due.length > 0) this.#listeners.notify('work')
      return due.length
    })
  }

  work({ state, call, limit = 100 }: WorkQuery): Promise<readonly WorkRecord[]> {
    return this.#request('work', ({ work }) =>
      [...work.values()]
        .filter((each) => (state ?? each.state) === each.state && (call ?? each.call) === each.call)
        .toSorted((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity) || (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map(workRecord),
    )
  }

  workCounts(): Promise<WorkCounts> {
    return this.#request('workCounts', (store) => store.workCounts(this.#now))
  }

  // ── dials ──

  claimDial(dial: NewDial): Promise<DialRecord> {
    return this.#request('claimDial', ({ dials }) => this.#dial(dials.claim(dial, this.#now))!)
  }

  settleDial(ticket: string, end: DialEnd | undefined): Promise<boolean> {
    return this.#request('settleDial', ({ dials }) => dials.settle(ticket, end))
  }

  findDial(query: { key: string } | { ticket: string }): Promise<DialRecord | undefined> {
    return this.#request('findDial', ({ dials }) => this.#dial(dials.find(query)))
  }

  #dial(record: DialRecord | undefined): DialRecord | undefined {
    const lost = record && record.outcome === undefined && !this.#isAlive(record.owner.host)
    return lost ? { ...record, ...dialLost } : record
  }

  addRecording(call: string, recording: CallRecording): Promise<boolean> {
    return this.#request('addRecording', (store) => store.addRecording(call, recording))
  }

  // ── upkeep ──

  prune(before: number, limit: number): Promise<number> {
    return this.#request('prune', (store) => store.prune(before, limit))
  }

  redact(call: string): Promise<boolean> {
    return this.#request('redact', (store) => {
      const found = store.calls.get(call)
      if (found) store.redact(found)
      return !!found
    })
  }

  onWake(listener: WakeListener): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}
