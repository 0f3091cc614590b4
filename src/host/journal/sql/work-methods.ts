import type { SessionReport } from '../../../session/index.ts'
import type { ClaimedWork, Journal, WorkCounts, WorkRecord, WorkState } from '../journal.ts'
import { given } from './call-rows.ts'
import {
  listOf,
  number,
  optionalNumber,
  optionalText,
  text,
  type Database,
  type Query,
  type Row,
  type Value,
} from './database.ts'
import { idOf } from './host-methods.ts'

type WorkMethods = Pick<Journal, 'claim' | 'renew' | 'settle' | 'release' | 'retry' | 'work' | 'workCounts'>

/** The longest error that is kept, in characters. */
const MAX_ERROR = 2_000
const DEFAULT_LIMIT = 100

export const workMethods = (db: Database): WorkMethods => ({
  claim(owner, { limit, lease }) {
    return db.transaction(async (query) => {
      const due = await query(
        `select key from {work} where state in ('waiting', 'running') and due_at <= {now}
         order by due_at, key limit $1 {lock free}`,
        limit,
      )
      const items = due.length > 0 ? await claimed(query, due.map(keyOf), owner, lease) : []
      const [next] = await query(
        `select min(due_at) - {now} as next_in from {work}
         where state in ('waiting', 'running') and (state = 'waiting' or owner <> $1)`,
        owner,
      )
      const nextIn = next && optionalNumber(next, 'next_in')
      return { items, ...given('nextIn', nextIn === undefined ? undefined : Math.max(0, nextIn)) }
    })
  },

  renew(owner, work, lease) {
    return db.transaction(async (query) => {
      const kept: string[] = []
      for (const { key, fence } of work.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        const rows = await query(
          `update {work} set due_at = {now} + $1
           where key = $2 and fence = $3 and owner = $4 and state = 'running' returning key`,
          lease,
          key,
          fence,
          owner,
        )
        if (rows.length > 0) kept.push(key)
      }
      return kept
    })
  },

  async settle({ key, fence }, outcome) {
    const error = outcome.state === 'done' ? undefined : outcome.error.slice(0, MAX_ERROR)
    const delay = outcome.state === 'waiting' ? outcome.delay : undefined
    const settled = await db.query(
      `update {work} set state = $1, error = $2, due_at = coalesce({now} + $3, due_at), owner = null,
       done_at = case when $4 = 1 then {now} end
       where key = $5 and fence = $6 and state = 'running' returning key`,
      outcome.state,
      error,
      delay,
      outcome.state === 'done' ? 1 : 0,
      key,
      fence,
    )
    if (settled.length > 0) return true
    return (await db.query('select key from {work} where key = $1 and fence = $2', key, fence)).length > 0
  },

  async release(owner) {
    const released = await db.query(
      `update {work} set state = 'waiting', due_at = {now}, owner = null, fence = fence + 1
       where owner = $1 and state = 'running' returning key`,
      owner,
    )
    if (released.length > 0) db.wake('work')
    return released.length
  },

  async retry({ key, call }) {
    const values: Value[] = []
    const where = ['due_at is not null']
    if (key !== undefined) where.push(`key = $${values.push(key)}`)
    if (call !== undefined) where.push(`call = $${values.push(call)}`)
    where.push(values.length > 0 ? `state in ('dead', 'waiting')` : `state = 'dead'`)
    const due = await db.query(
      `update {work} set due_at = {now}, state = 'waiting', since = case when state = 'dead' then {now} else since end,
       attempts = case when state = 'dead' then 0 else attempts end where ${where.join(' and ')} returning key`,
      ...values,
    )
    if (due.length > 0) db.wake('work')
    return due.length
  },

  async work({ state, call, limit = DEFAULT_LIMIT }) {
    const values: Value[] = []
    const where = ['true']
    if (state !== undefined) where.push(`state = $${values.push(state)}`)
    if (call !== undefined) where.push(`call = $${values.push(call)}`)
    const rows = await db.query(
      `select * from {work} where ${where.join(' and ')} order by coalesce(since, 9007199254740991), key limit $${values.push(limit)}`,
      ...values,
    )
    return rows.map(recordOf)
  },

  async workCounts() {
    return countsOf(
      await db.query(
        `select state, count(*) as count, {now} - min(since) as oldest from {work}
         where state <> 'done' and since is not null group by state`,
      ),
    )
  },
})

const keyOf = (row: Row): string => text(row, 'key')

/** Claims work that is locked, and loads the reports that its handlers get. */
async function claimed(
  query: Query,
  keys: readonly string[],
  owner: string,
  lease: number,
): Promise<readonly ClaimedWork[]> {
  const rows = await query(
    `update {work} set state = 'running', owner = $1, fence = fence + 1, attempts = attempts + 1, due_at = {now} + $2
     where key in {list $3} returning key, call, handler, fence, attempts, since`,
    owner,
    lease,
    listOf(keys),
  )
  const calls = await query(
    'select id, trace, report from {calls} where id in {list $1}',
    listOf([...new Set(rows.map((row) => text(row, 'call')))]),
  )
  const callOf = new Map(calls.map((row) => [idOf(row), row]))
  const workOf = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.flatMap((key) => {
    const row = workOf.get(key)
    const call = row && callOf.get(text(row, 'call'))
    return call ? [claimedWork(row, call)] : []
  })
}

const claimedWork = (row: Row, call: Row): ClaimedWork => ({
  key: keyOf(row),
  call: text(row, 'call'),
  handler: text(row, 'handler'),
  fence: number(row, 'fence'),
  attempt: number(row, 'attempts'),
  since: number(row, 'since'),
  ...given('trace', optionalText(call, 'trace')),
  report: JSON.parse(text(call, 'report')) as SessionReport,
})

const recordOf = (row: Row): WorkRecord => ({
  key: keyOf(row),
  call: text(row, 'call'),
  handler: text(row, 'handler'),
  state: text(row, 'state') as WorkState,
  ...given('dueAt', optionalNumber(row, 'due_at')),
  attempts: number(row, 'attempts'),
  ...given('error', optionalText(row, 'error')),
  ...given('doneAt', optionalNumber(row, 'done_at')),
})

function countsOf(rows: readonly Row[]): WorkCounts {
  const byState = new Map(rows.map((row) => [text(row, 'state'), row]))
  const count = (state: WorkState): number => Number(byState.get(state)?.['count'] ?? 0)
  const oldest = (state: WorkState): number => Number(byState.get(state)?.['oldest'] ?? 0)
  return {
    waiting: count('waiting'),
    running: count('running'),
    dead: count('dead'),
    oldest: Math.max(0, oldest('waiting'), oldest('running')),
  }
}
