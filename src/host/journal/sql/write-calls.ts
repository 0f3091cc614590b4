import type { SessionReport } from '../../../session/index.ts'
import { endOf, redactedItem, redactedReport, wordsOf, workKey } from '../call-texts.ts'
import type { CallWrite, Entry, NewCall, WriteResult } from '../journal.ts'
import { ensureHost, idOf } from './host-methods.ts'
import { listOf, number, optionalText, placeholders, storable, text, type Query } from './database.ts'

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
    const hosts = new Set<string>()
    for (const call of calls.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      if (!(await insertCall(this.#query, call))) continue
      await insertWork(this.#query, call)
      hosts.add(call.owner.host)
    }
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
    if (call.live) await this.#close(call, write.report)
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

  async #close(call: LockedCall, report: SessionReport): Promise<void> {
    call.live = false
    const { reason, clean } = report
    await this.#query(
      `update {calls} set state = 'closed', reason = $1, clean = $2, ended_at = coalesce($3, {now}), report = $4,
       words = words || $5, resume = null, ordered = null where id = $6`,
      reason,
      clean ? 1 : 0,
      endOf(report),
      JSON.stringify(call.redacted ? redactedReport(report) : report),
      `\n${reason.toLowerCase()}`,
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

async function insertCall(query: Query, call: NewCall): Promise<boolean> {
  const { id, owner, agent, line, from, resume, trace, openedAt } = call
  const inserted = await query(
    `insert into {calls} (id, host, worker, address, fence, state, agent, line, caller, resume, trace, opened_at, words)
     values ($1, $2, $3, $4, 1, 'live', $5, $6, $7, $8, $9, $10, $11) on conflict (id) do nothing returning id`,
    id,
    owner.host,
    owner.worker,
    owner.address,
    agent,
    line,
    from,
    resume && JSON.stringify(resume),
    trace,
    openedAt,
    [id, agent, from ?? ''].join('\n').toLowerCase(),
  )
  return inserted.length > 0
}

async function insertWork(query: Query, { id, work }: NewCall): Promise<void> {
  for (const handlers of chunks(work))
    await query(
      `insert into {work} (key, call, handler, state) values ${placeholders(handlers.length, 4)}
       on conflict (key) do nothing`,
      ...handlers.flatMap((handler) => [workKey(id, handler), id, handler, 'waiting']),
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
