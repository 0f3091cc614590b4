import type { DialRecord, Journal } from '../journal.ts'
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
} from './database.ts'

type DialMethods = Pick<Journal, 'claimDial' | 'settleDial' | 'findDial'>

/** Why an attempt is unknown whose process is gone. */
const PROCESS_LOST = 'the process that called is gone'

/** An attempt whose outcome may still change. */
const isOpen = `(outcome is null or outcome = 'unknown')`

/** The columns of a record. `lost`: whether the host of the process that dials is gone. */
const columns = `{dials}.*, case when exists
  (select 1 from {hosts} where {hosts}.id = {dials}.host and dead = 0 and lease_until > {now}) then 0 else 1 end as lost`

export const dialMethods = (db: Database): DialMethods => ({
  claimDial({ key, ticket, owner: { host, worker, address } }) {
    return db.transaction(async (query) => {
      // The update locks the attempt that has the key, so that it is still there for the next statement.
      await query(
        `insert into {dials} (key, ticket, host, worker, address, claimed_at)
         values ($1, $2, $3, $4, $5, {now}) on conflict (key) do update set key = excluded.key`,
        key,
        ticket,
        host,
        worker,
        address,
      )
      const [row] = await query(`select ${columns} from {dials} where key = $1`, key)
      return recordOf(row!)
    })
  },

  async settleDial(ticket, end) {
    if (!end) {
      const dropped = await db.query(
        'delete from {dials} where ticket = $1 and outcome is null returning key',
        ticket,
      )
      return dropped.length > 0
    }
    const { outcome, call, why, took } = end
    const settled = await db.query(
      `update {dials} set outcome = $1, call = coalesce($2, call), why = $3, took = $4
       where ticket = $5 and ${isOpen} returning key`,
      outcome,
      call,
      why,
      took,
      ticket,
    )
    return settled.length > 0
  },

  async findDial(query) {
    const [column, value] = 'key' in query ? ['key', query.key] : ['ticket', query.ticket]
    const [row] = await db.query(`select ${columns} from {dials} where ${column} = $1`, value)
    return row && recordOf(row)
  },
})

/** A worker is gone: its attempts that have no outcome are unknown. */
export async function loseDials(query: Query, host: string, worker: string): Promise<void> {
  await query(
    `update {dials} set outcome = 'unknown', why = $3 where host = $1 and worker = $2 and outcome is null`,
    host,
    worker,
    PROCESS_LOST,
  )
}

export async function pruneDials(query: Query, before: number, limit: number): Promise<void> {
  const rows = await query(
    'select key from {dials} where claimed_at < $1 order by claimed_at limit $2 {lock free}',
    before,
    limit,
  )
  if (rows.length > 0)
    await query('delete from {dials} where key in {list $1}', listOf(rows.map((row) => text(row, 'key'))))
}

function recordOf(row: Row): DialRecord {
  const lost = optionalText(row, 'outcome') === undefined && number(row, 'lost') === 1
  return {
    key: text(row, 'key'),
    ticket: text(row, 'ticket'),
    owner: { host: text(row, 'host'), worker: text(row, 'worker'), address: text(row, 'address') },
    claimedAt: number(row, 'claimed_at'),
    ...given('call', optionalText(row, 'call')),
    ...given('outcome', lost ? 'unknown' : optionalText(row, 'outcome')),
    ...given('why', lost ? PROCESS_LOST : optionalText(row, 'why')),
    ...given('took', optionalNumber(row, 'took')),
  }
}
