import {
  endOf,
  redactedItem,
  redactedReport,
  redactedSummary,
  searched,
  wordsOf,
  workKey,
  type CallQuery,
  type CallRecord,
  type CallRecording,
  type CallSort,
  type CallSummary,
  type Entry,
  type HostRecord,
  type LostCall,
  type NewCall,
  type Order,
  type WorkCounts,
  type WorkRecord,
  type WorkState,
} from '../host/journal/index.ts'
import type { SessionReport } from '../session/index.ts'
import { MemoryDials } from './memory-dials.ts'

export interface MemoryHost extends HostRecord {
  readonly startedAt: number
  leaseUntil: number
  draining: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface MemoryCall {
  record: CallRecord
  readonly entries: Map<number, Entry>
  readonly orders: Set<Order['order']>
  readonly work: readonly MemoryWork[]
  redacted: boolean
  report?: SessionReport
  readonly recordings: Map<string, CallRecording>
}

export interface MemoryWork extends Mutable<WorkRecord> {
  fence: number
  owner?: string
  since?: number
}

/** What a journal keeps, in plain maps. Every change is one synchronous step, as a transaction is. */
export class MemoryStore {
  readonly hosts = new Map<string, MemoryHost>()
  readonly calls = new Map<string, MemoryCall>()
  readonly live = new Map<string, MemoryCall>()
  readonly work = new Map<string, MemoryWork>()
  readonly dials = new MemoryDials()

  /** A copy that shares nothing with the original, as after a database. */
  copy<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T
  }

  open(call: NewCall): void {
    const { id, owner, agent, line, from, resume, trace, openedAt } = this.copy(call)
    const record: CallRecord = {
      id,
      state: 'live',
      owner,
      host: owner.host,
      fence: 1,
      agent,
      line,
      ...(from === undefined ? {} : { from }),
      ...(resume === undefined ? {} : { resume }),
      ...(trace === undefined ? {} : { trace }),
      openedAt,
    }
    const work = call.work.map((handler) => newWork(id, handler))
    const opened = {
      record,
      entries: new Map(),
      orders: new Set<never>(),
      work,
      redacted: false,
      recordings: new Map(),
    }
    this.calls.set(id, opened)
    this.live.set(id, opened)
    for (const each of work) this.work.set(each.key, each)
  }

  append(call: MemoryCall, entries: readonly Entry[]): void {
    for (const entry of this.copy(entries))
      if (!call.entries.has(entry.seq))
        call.entries.set(entry.seq, call.redacted ? { ...entry, item: redactedItem(entry.item) } : entry)
  }

  close(call: MemoryCall, report: SessionReport, now: number, summary?: CallSummary): void {
    const { resume: _, ...record } = call.record
    const { reason, clean } = report
    const kept = summary && call.redacted ? redactedSummary(summary) : summary
    const ended = { reason, clean, endedAt: endOf(report) ?? now, ...(kept ? { summary: kept } : {}) }
    call.record = { ...record, state: 'closed', ...ended }
    call.report = this.copy(call.redacted ? redactedReport(report) : report)
    call.orders.clear()
    this.live.delete(record.id)
    for (const work of call.work) {
      work.dueAt ??= now
      work.since ??= now
    }
  }

  redact(call: MemoryCall): void {
    call.redacted = true
    if (call.report) call.report = redactedReport(call.report)
    const { summary } = call.record
    if (summary) call.record = { ...call.record, summary: redactedSummary(summary) }
    for (const [seq, entry] of call.entries)
      call.entries.set(seq, { ...entry, item: redactedItem(entry.item) })
  }

  /** The work that is waiting or running after a call, in the order in which it falls due. */
  openWork(): MemoryWork[] {
    return [...this.work.values()]
      .filter(({ state, dueAt }) => (state === 'waiting' || state === 'running') && dueAt !== undefined)
      .toSorted((a, b) => a.dueAt! - b.dueAt! || (a.key < b.key ? -1 : 1))
  }

  list(query: CallQuery): CallRecord[] {
    const { state, clean, wrong, since = 0, before = Infinity, beforeId = '', limit = 100 } = query
    const { sort = 'newest' } = query
    const words = searched(query.words)
    return [...this.calls.values()]
      .filter(({ record }) => state === undefined || record.state === state)
      .filter(({ record }) => clean === undefined || record.clean === clean)
      .filter(({ record: { openedAt, id } }) => openedAt < before || (openedAt === before && id < beforeId))
      .filter(({ record: { openedAt } }) => openedAt >= since)
      .filter(({ record }) => wrong === undefined || isWrong(record) === wrong)
      .filter((call) => words === undefined || mentions(call, words))
      .map(({ record }) => record)
      .filter((record) => figures[sort](record) !== undefined)
      .toSorted((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1))
      .toSorted((a, b) => figures[sort](b)! - figures[sort](a)!)
      .slice(0, limit)
  }

  /** With the recordings of the carrier. */
  report(call: string): SessionReport | undefined {
    const { report, recordings } = this.calls.get(call) ?? {}
    if (!report || !recordings?.size) return report
    const more = [...recordings.values()].map(({ url }) =>
      url === undefined ? { complete: false } : { place: url, complete: true },
    )
    return { ...report, recordings: [...(report.recordings ?? []), ...more] }
  }

  addRecording(call: string, recording: CallRecording): boolean {
    const recordings = this.calls.get(call)?.recordings
    if (recordings && !recordings.has(recording.id)) recordings.set(recording.id, { ...recording })
    return recordings !== undefined
  }

  workCounts(now: number): WorkCounts {
    const ended = [...this.work.values()].filter(({ dueAt }) => dueAt !== undefined)
    const count = (state: WorkState): number => ended.filter((each) => each.state === state).length
    const oldest = Math.min(now, ...this.openWork().map(({ since }) => since!))
    return { waiting: count('waiting'), running: count('running'), dead: count('dead'), oldest: now - oldest }
  }

  prune(before: number, limit: number): number {
    this.dials.prune(before, limit)
    const old = [...this.calls.values()]
      .filter(({ record }) => record.state === 'closed' && record.endedAt! < before)
      .filter(({ work }) => work.every(({ state }) => state === 'done' || state === 'dead'))
      .slice(0, limit)
    for (const call of old) this.delete(call)
    return old.length
  }

  delete(call: MemoryCall): void {
    this.calls.delete(call.record.id)
    for (const { key } of call.work) this.work.delete(key)
  }
}

/** What a list is sorted by, the largest first. */
const figures: Readonly<Record<CallSort, (record: CallRecord) => number | undefined>> = {
  newest: () => 0,
  slowest: ({ summary }) => summary?.latency?.p95,
  dearest: ({ summary }) => summary?.cost?.total,
  longest: ({ summary }) => summary?.lived,
}

/** Undefined until the call has ended. */
const isWrong = ({ clean, summary }: CallRecord): boolean | undefined =>
  clean === undefined ? undefined : !clean || summary?.failedTools !== undefined

const newWork = (call: string, handler: string): MemoryWork => ({
  key: workKey(call, handler),
  call,
  handler,
  state: 'waiting',
  attempts: 0,
  fence: 0,
})

export const entriesOf = (call: MemoryCall | undefined): readonly Entry[] =>
  [...(call?.entries.values() ?? [])].toSorted((a, b) => a.seq - b.seq)

export const lostCall = (call: MemoryCall): LostCall => ({ ...call.record, entries: entriesOf(call) })

/** Whether a call contains these words, which are in lower case. */
function mentions(call: MemoryCall, words: string): boolean {
  const { id, agent, from, reason } = call.record
  const fields = [id, agent, from ?? '', reason ?? ''].map((field) => field.toLowerCase())
  return [...fields, ...entriesOf(call).map(({ item }) => wordsOf(item))].some((field) =>
    field.includes(words),
  )
}

export const workRecord = ({
  key,
  call,
  handler,
  state,
  dueAt,
  attempts,
  error,
  doneAt,
}: MemoryWork): WorkRecord => ({
  key,
  call,
  handler,
  state,
  attempts,
  ...(dueAt === undefined ? {} : { dueAt }),
  ...(error === undefined ? {} : { error }),
  ...(doneAt === undefined ? {} : { doneAt }),
})
