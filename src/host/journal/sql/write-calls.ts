import type { SessionReport } from '../../../session/index.ts'
import { endOf, redactedItem, redactedReport, redactedSummary, wordsOf, workKey } from '../call-texts.ts'
import type { CallSummary, CallWrite, Entry, NewCall, WriteResult } from '../journal.ts'
import { ensureHost, idOf } from './host-methods.ts'
import {
  listOf,
  number,
  optionalText,
  placeholders,
  storable,
  text,
  type Query,
  type Value,
} from './database.ts'

// A batch of writes in one transaction. First the new calls are inserted, then all calls of the batch are locked, in the
// order of their ids, so that two batches never wait for each other. From then on no other process can raise a fence, and
// the writes are judged one after another.

interface LockedCall {
  readonly id: string
  readonly fence: number
  readonly host: string
  readonly worker: string | undefined
  readonly redacted: boolean
  live: boolean
}

/** The results, and whether any work fell due. */
export interface Written {
  readonly results: readonly WriteResult[]
  readonly due: boolean
}

export async function writeCalls(query: Query, batch: readonly CallWrite[]): Promise<Written> {
  const writer = new Writer(query)
  await writer.insert(batch.flatMap((write) => (write.type === 'open' ? [write.call] : [])))
  await writer.lock(batch.map((write) => (write.type === 'open' ? write.call.id : write.call)))
  const results: WriteResult[] = []
  for (const write of batch) results.push((await writer.write(write)) ? 'written' : 'fenced')
  await writer.flush()
  return { results, due: writer.due }
}

class Writer {
  /** Whether any work fell due. */
  due = false
  readonly #query: Query
  readonly #calls = new Map<string, LockedCall>()
  #entries: NewEntry[] = []

  constructor(query: Query) {
    this.#query = query
  }

  async insert(calls: readonly NewCall[]): Promise<void> {
    const sorted = calls.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    const inserted = await insertCalls(this.#query, sorted)
    // Only the first of two calls with the same id was inserted.
    const opened = sorted.filter(({ id }) => inserted.delete(String(storable(id))))
    await insertWork(this.#query, opened)
    const hosts = new Set(opened.map(({ owner }) => owner.host))
    for (const host of [...hosts].toSorted((a, b) => (a < b ? -1 : 1))) await ensureHost(this.#query, host)
  }

  async lock(ids: readonly string[]): Promise<void> {
    const rows = await this.#query(
      'select id, fence, host, worker, redacted, state from {calls} where id in {list $1} order by id {lock}',
      listOf(ids),
    )
    for (const row of rows)
      this.#calls.set(idOf(row), {
        id: idOf(row),
        fence: number(row, 'fence'),
        host: text(row, 'host'),
        worker: optionalText(row, 'worker'),
        redacted: number(row, 'redacted') === 1,
        live: text(row, 'state') === 'live',
      })
  }

  /** Returns whether the writer owns the call. */
  async write(write: CallWrite): Promise<boolean> {
    const call = this.#calls.get(String(storable(write.type === 'open' ? write.call.id : write.call)))
    if (!call) return false
    if (write.type === 'open') return isSameCall(call, write.call)
    if (write.fence !== call.fence) return false
    if (write.type === 'entries') return this.#append(call, write.entries)
    if (call.live) await this.#close(call, write.report, write.summary)
    return true
  }

  async #append(call: LockedCall, entries: readonly Entry[]): Promise<boolean> {
    if (!call.live) return this.#areThere(call, entries)
    for (const { seq, at, item } of entries)
      this.#entries.push({ call: call.id, seq, at, item: call.redacted ? redactedItem(item) : item })
    return true
  }

  async #areThere({ id }: LockedCall, entries: readonly Entry[]): Promise<boolean> {
    await this.flush()
    const rows = await this.#query('select seq from {entries} where call = $1', id)
    const known = new Set(rows.map((row) => number(row, 'seq')))
    return entries.every(({ seq }) => known.has(seq))
  }

  async #close(call: LockedCall, report: SessionReport, summary: CallSummary | undefined): Promise<void> {
    call.live = false
    const { reason, clean } = report
    await this.#query(
      `update {calls} set state = 'closed', reason = $1, clean = $2, ended_at = coalesce($3, {now}), report = $4,
       words = words || $5, resume = null, ordered = null, summary = $6 where id = $7`,
      reason,
      clean ? 1 : 0,
      endOf(report),
      JSON.stringify(call.redacted ? redactedReport(report) : report),
      `\n${reason.toLowerCase()}`,
      summary && JSON.stringify(call.redacted ? redactedSummary(summary) : summary),
      call.id,
    )
    const due = await this.#query(
      `update {work} set due_at = {now}, since = {now} where call = $1 and due_at is null returning key`,
      call.id,
    )
    this.due ||= due.length > 0
  }

  async flush(): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    await insertEntries(this.#query, entries)
  }
}

/** Whether a call was opened by the same owner before, and still belongs to that owner. */
const isSameCall = ({ live, fence, host, worker }: LockedCall, { owner }: NewCall): boolean =>
  live && fence === 1 && host === storable(owner.host) && worker === storable(owner.worker)

/** Returns the ids that did not exist. */
async function insertCalls(query: Query, calls: readonly NewCall[]): Promise<Set<string>> {
  const inserted = new Set<string>()
  for (const some of chunks(calls)) {
    const rows = await query(
      `insert into {calls} (id, host, worker, address, fence, state, agent, line, caller, resume, trace, opened_at, words)
       values ${placeholders(some.length, 13)} on conflict (id) do nothing returning id`,
      ...some.flatMap(valuesOf),
    )
    for (const row of rows) inserted.add(idOf(row))
  }
  return inserted
}

function valuesOf({ id, owner, agent, line, from, resume, trace, openedAt }: NewCall): (Value | undefined)[] {
  const words = [id, agent, from ?? ''].join('\n').toLowerCase()
  const place = [owner.host, owner.worker, owner.address]
  return [
    id,
    ...place,
    1,
    'live',
    agent,
    line,
    from,
    resume && JSON.stringify(resume),
    trace,
    openedAt,
    words,
  ]
}

async function insertWork(query: Query, calls: readonly NewCall[]): Promise<void> {
  const work = calls.flatMap(({ id, work: handlers }) => handlers.map((handler) => [id, handler] as const))
  for (const some of chunks(work))
    await query(
      `insert into {work} (key, call, handler, state) values ${placeholders(some.length, 4)}
       on conflict (key) do nothing`,
      ...some.flatMap(([id, handler]) => [workKey(id, handler), id, handler, 'waiting']),
    )
}

export interface NewEntry extends Entry {
  readonly call: string
}

export async function insertEntries(query: Query, entries: readonly NewEntry[]): Promise<void> {
  for (const some of chunks(entries))
    await query(
      `insert into {entries} (call, seq, at, item, words) values ${placeholders(some.length, 5)}
       on conflict (call, seq) do nothing`,
      ...some.flatMap(({ call, seq, at, item }) => [call, seq, at, JSON.stringify(item), wordsOf(item)]),
    )
}

/** How many rows one statement inserts. There is one prepared statement per number of rows, so the number is small. */
const ROWS = 50

const chunks = <T>(list: readonly T[]): readonly T[][] =>
  Array.from({ length: Math.ceil(list.length / ROWS) }, (_, index) =>
    list.slice(index * ROWS, (index + 1) * ROWS),
  )
