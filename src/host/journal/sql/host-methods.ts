import type { HostState, Journal, Order } from '../journal.ts'
import { listOf, number, text, type Database, type Query, type Row } from './database.ts'

// A host is declared dead by marking its row, and only once its lease is over. Its live calls may then be adopted. Every
// live call has a host with a row, so that a host that adopts looks at dead hosts only, and not at all live calls.

type HostMethods = Pick<Journal, 'join' | 'beat' | 'drain' | 'leave' | 'hosts'>

export const hostMethods = (db: Database): HostMethods => ({
  async join({ id, name, version, capacity }, lease) {
    await db.query(
      `insert into {hosts} (id, name, version, capacity, started_at, lease_until)
       values ($1, $2, $3, $4, {now}, {now} + $5)
       on conflict (id) do update set lease_until = excluded.lease_until, dead = 0`,
      id,
      name,
      version,
      capacity,
      lease,
    )
  },

  beat(host, lease) {
    return db.transaction(async (query) => {
      const [own] = await query(
        'update {hosts} set lease_until = {now} + $1 where id = $2 and dead = 0 returning draining',
        lease,
        host,
      )
      if (!own) return undefined
      const orders = await ordersFor(query, host)
      return number(own, 'draining') === 1 ? { orders, draining: true } : { orders }
    })
  },

  async drain(host) {
    const marked = await db.query(
      'update {hosts} set draining = 1 where id = $1 and draining = 0 returning id',
      host,
    )
    if (marked.length > 0) db.wake('orders')
  },

  async leave(host) {
    await db.query('update {hosts} set dead = 1 where id = $1', host)
  },

  async hosts() {
    const rows = await db.query('select *, {now} as now from {hosts} where dead = 0 order by started_at, id')
    return rows.map(hostOf)
  },
})

/** Takes the orders for a host's calls. Those of a call that is being written stay for the next heartbeat. */
async function ordersFor(query: Query, host: string): Promise<readonly Order[]> {
  const rows = await query(
    `select id, ordered from {calls}
     where host = $1 and worker is not null and state = 'live' and ordered is not null order by id {lock free}`,
    host,
  )
  if (rows.length === 0) return []
  await query('update {calls} set ordered = null where id in {list $1}', listOf(rows.map(idOf)))
  return rows.flatMap((row) =>
    text(row, 'ordered')
      .split(' ')
      .map((order) => ({ call: idOf(row), order: order as Order['order'] })),
  )
}

/** Whether the lease of a host is not over. */
export async function isAlive(query: Query, host: string): Promise<boolean> {
  const rows = await query('select id from {hosts} where id = $1 and dead = 0 and lease_until > {now}', host)
  return rows.length > 0
}

/** Makes a host known that is not: its calls may be adopted. */
export async function ensureHost(query: Query, host: string): Promise<void> {
  await query(
    `insert into {hosts} (id, name, version, capacity, started_at, lease_until, dead)
     values ($1, '', '', 0, {now}, {now}, 1) on conflict (id) do nothing`,
    host,
  )
}

/** A few dead hosts with live calls, at random, so that hosts that adopt at once do not look at the same. */
export async function someDeadHosts(query: Query): Promise<readonly string[]> {
  const rows = await query(
    `select id from {hosts} where dead = 1 and exists
     (select 1 from {calls} where {calls}.host = {hosts}.id and {calls}.state = 'live') order by random() limit 5`,
  )
  return rows.map(idOf)
}

/** Declares hosts dead whose lease is over: all of them, or one. */
export async function declareDead(query: Query, host?: string): Promise<void> {
  const rows =
    host === undefined
      ? // Another host that does the same at the same time is as good.
        await query('select id from {hosts} where dead = 0 and lease_until <= {now} {lock free}')
      : await query('select id from {hosts} where id = $1 and dead = 0 and lease_until <= {now} {lock}', host)
  if (rows.length > 0)
    await query('update {hosts} set dead = 1 where id in {list $1}', listOf(rows.map(idOf)))
}

export const idOf = (row: Row): string => text(row, 'id')

const hostOf = (row: Row): HostState => ({
  id: idOf(row),
  name: text(row, 'name'),
  version: text(row, 'version'),
  capacity: number(row, 'capacity'),
  startedAt: number(row, 'started_at'),
  leaseUntil: number(row, 'lease_until'),
  draining: number(row, 'draining') === 1,
  expired: number(row, 'lease_until') <= number(row, 'now'),
})
