import type { SessionReport } from '../../../session/index.ts'
import { searched } from '../call-texts.ts'
import type { CallQuery, CallRecord, Journal } from '../journal.ts'
import { entriesOf, lostCalls, recordColumns, recordOf } from './call-rows.ts'
import { listOf, optionalText, storable, text, type Database, type Row, type Value } from './database.ts'
import { loseDials } from './dial-methods.ts'
import { declareDead, idOf, isAlive, someDeadHosts } from './host-methods.ts'
import { withRecordings } from './recording-methods.ts'
import { writeCalls } from './write-calls.ts'

type CallMethods = Pick<
  Journal,
  'write' | 'orphan' | 'adopt' | 'orphans' | 'take' | 'find' | 'list' | 'report' | 'entries' | 'order'
>

/** Live calls whose host was declared dead. */
const isLost = `state = 'live' and exists (select 1 from {hosts} where {hosts}.id = {calls}.host and dead = 1)`

/** Makes orphans of the calls `{list $1}`, which are locked. */
const makeOrphans = (condition: string): string =>
  `update {calls} set host = $2, worker = null, address = null, fence = fence + 1, orphaned_at = {now}
   where id in {list $1} and ${condition} returning ${recordColumns}`

export const callMethods = (db: Database): CallMethods => ({
  async write(batch) {
    if (batch.length === 0) return []
    const { results, due } = await db.transaction((query) => writeCalls(query, batch))
    if (due) db.wakeHere('work')
    return results
  },

  orphan(host, worker) {
    return db.transaction(async (query) => {
      await loseDials(query, host, worker)
      const rows = await query(
        `select id from {calls} where host = $1 and worker = $2 and state = 'live' order by id {lock}`,
        host,
        worker,
      )
      if (rows.length === 0) return []
      return lostCalls(query, await query(makeOrphans('true'), listOf(rows.map(idOf)), host))
    })
  },

  adopt(host, limit) {
    return db.transaction(async (query) => {
      // Calls adopted by a host that is dead itself would be adopted at once by the next.
      if (!(await isAlive(query, host))) return []
      await declareDead(query)
      const rows: Row[] = []
      for (const dead of await someDeadHosts(query)) {
        if (rows.length >= limit) break
        // One host at a time: for several, Postgres would rather read all calls in the order of their opening.
        const some = await query(
          `select id from {calls} where host = $1 and state = 'live' order by opened_at, id limit $2 {lock free}`,
          dead,
          limit - rows.length,
        )
        rows.push(...some)
      }
      if (rows.length === 0) return []
      // Once more, now that they are locked: Postgres looks at `hosts` as it was before it had the locks.
      return lostCalls(query, await query(makeOrphans(isLost), listOf(rows.map(idOf)), host))
    })
  },

  async orphans(host) {
    const rows = await db.query(
      `select ${recordColumns} from {calls} where host = $1 and worker is null and state = 'live'`,
      host,
    )
    return lostCalls(db.query, rows)
  },

  take(call, owner) {
    return db.transaction(async (query) => {
      const rows = await query(`select ${recordColumns} from {calls} where id = $1 {lock}`, call)
      const found = rows.map(recordOf)[0]
      if (found?.state !== 'live' || !(await isAlive(query, owner.host))) return undefined
      if (isOwner(found, owner)) return (await lostCalls(query, rows))[0]
      if (found.owner) {
        await declareDead(query, found.host)
        const served = await query('select id from {hosts} where id = $1 and dead = 0', found.host)
        if (served.length > 0) return undefined
      }
      const taken = await query(
        `update {calls} set host = $2, worker = $3, address = $4, fence = fence + 1, orphaned_at = null
         where id = $1 returning ${recordColumns}`,
        call,
        owner.host,
        owner.worker,
        owner.address,
      )
      return (await lostCalls(query, taken))[0]
    })
  },

  async find(call) {
    const [row] = await db.query(
      `select ${recordColumns}, (select 1 from {hosts} where {hosts}.id = {calls}.host and dead = 0 and lease_until > {now}) as alive
       from {calls} where id = $1`,
      call,
    )
    if (!row) return undefined
    const record = recordOf(row)
    return record.state === 'live' && row['alive'] === null ? { ...record, hostLost: true } : record
  },

  async list(query) {
    const [sql, values] = listing(query)
    const rows = await db.query(sql, ...values)
    return rows.map(recordOf)
  },

  async report(call) {
    const [row] = await db.query('select report from {calls} where id = $1', call)
    const report = row && optionalText(row, 'report')
    return report === undefined ? undefined : withRecordings(db.query, JSON.parse(report) as SessionReport)
  },

  async entries(call) {
    const id = String(storable(call))
    return (await entriesOf(db.query, [id])).get(id) ?? []
  },

  async order({ call, order }) {
    const host = await db.transaction(async (query) => {
      const [row] = await query(
        `select ordered, host from {calls} where id = $1 and state = 'live' and worker is not null {lock}`,
        call,
      )
      if (!row) return undefined
      const orders = new Set(optionalText(row, 'ordered')?.split(' ')).add(order)
      await query('update {calls} set ordered = $1 where id = $2', [...orders].join(' '), call)
      return text(row, 'host')
    })
    if (host !== undefined) db.wake('orders', host)
    return host !== undefined
  },
})

const isOwner = (
  { owner }: CallRecord,
  { host, worker, address }: NonNullable<CallRecord['owner']>,
): boolean =>
  owner?.host === storable(host) && owner.worker === storable(worker) && owner.address === storable(address)

/** How many calls a search looks through: on SQLite, the host waits for it. */
const SEARCHED_CALLS = 10_000
const DEFAULT_LIMIT = 100

/** What a list is sorted by, the largest first. */
const figures = {
  slowest: 'cast({field latency.p95} as double precision)',
  dearest: 'cast({field cost.total} as double precision)',
  longest: 'cast({field lived} as double precision)',
} as const

const newestFirst = 'opened_at desc, id desc'

function listing(query: CallQuery): [string, Value[]] {
  const { state, clean, wrong, sort = 'newest', since, before, beforeId, limit = DEFAULT_LIMIT } = query
  const values: Value[] = []
  const place = (value: Value): string => `$${values.push(value)}`
  const where = ['true']
  if (state !== undefined) where.push(`state = ${place(state)}`)
  if (clean !== undefined) where.push(`clean = ${place(clean ? 1 : 0)}`)
  if (since !== undefined) where.push(`opened_at >= ${place(since)}`)
  if (before !== undefined && beforeId === undefined) where.push(`opened_at < ${place(before)}`)
  if (before !== undefined && beforeId !== undefined)
    where.push(`(opened_at, id) < (${place(before)}, ${place(beforeId)})`)
  const found = `from {calls} where ${where.join(' and ')} order by ${newestFirst}`

  // What no index can tell is looked up in a limited number of calls.
  const hard: string[] = []
  if (wrong === true) hard.push('(clean = 0 or {field failedTools} is not null)')
  if (wrong === false) hard.push('clean = 1 and {field failedTools} is null')
  if (sort !== 'newest') hard.push(`${figures[sort]} is not null`)
  const wanted = searched(query.words)
  if (wanted === undefined && hard.length === 0)
    return [`select ${recordColumns} ${found} limit ${place(limit)}`, values]
  const newest = `select ${recordColumns}, words ${found} limit ${place(SEARCHED_CALLS)}`
  if (wanted !== undefined) {
    const pattern = place(`%${wanted.replaceAll(/[!%_]/g, '!$&')}%`)
    hard.push(`(words like ${pattern} escape '!' or exists
      (select 1 from {entries} where call = newest.id and {entries}.words like ${pattern} escape '!'))`)
  }
  const order = sort === 'newest' ? newestFirst : `${figures[sort]} desc, ${newestFirst}`
  return [
    `select ${recordColumns} from (${newest}) as newest where ${hard.join(' and ')}
     order by ${order} limit ${place(limit)}`,
    values,
  ]
}
