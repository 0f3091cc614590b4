import { JournalVersionError } from '../errors.ts'
import type { Database, Query } from './database.ts'

// Every time is in milliseconds since the epoch, and every truth is 0 or 1, so that both databases have the same tables.
//
// hosts.dead       the host left, or its lease was over and another host noticed. The row stays until its calls are adopted
// calls.worker     null while the call is an orphan
// calls.words      what a search looks in, in lower case. `entries.words` is the same for what was said
// calls.redacted   what was said is removed before it is written
// calls.report     last, because SQLite reads a row from its beginning
// work.due_at      when it may be claimed: null until the call has ended; for running work, when its claim runs out
// work.since       when it fell due for the first time

/** Each list of statements upgrades the tables by one version. Never change one that was published: add another. */
const migrations: readonly (readonly string[])[] = [
  [
    `create table {hosts} (
      id text primary key, name text not null, version text not null, capacity integer not null,
      started_at bigint not null, lease_until bigint not null, draining integer not null default 0,
      dead integer not null default 0)`,
    `create table {calls} (
      id text primary key, host text not null, worker text, address text, fence integer not null, state text not null,
      agent text not null, line text not null, caller text, resume text, trace text,
      opened_at bigint not null, ended_at bigint, orphaned_at bigint, reason text, clean integer,
      ordered text, redacted integer not null default 0, words text not null, summary text, report text)`,
    `create index calls_newest on {calls} (opened_at, id)`,
    `create index calls_live on {calls} (host, worker) where state = 'live'`,
    `create index calls_ordered on {calls} (host) where ordered is not null`,
    `create index calls_ended on {calls} (ended_at) where state = 'closed'`,
    `create table {entries} (
      call text not null references {calls} (id) on delete cascade, seq integer not null,
      at bigint not null, item text not null, words text not null, primary key (call, seq))`,
    `create table {work} (
      key text primary key, call text not null references {calls} (id) on delete cascade, handler text not null,
      state text not null, due_at bigint, since bigint, owner text, fence integer not null default 0,
      attempts integer not null default 0, error text, done_at bigint)`,
    `create index work_due on {work} (due_at) where state in ('waiting', 'running')`,
    `create index work_open on {work} (state, since) where state <> 'done'`,
    `create index work_of_call on {work} (call)`,
    `create index work_of_owner on {work} (owner) where state = 'running'`,
  ],
  [
    `create table {dials} (
      key text primary key, ticket text not null unique, host text not null, worker text not null,
      address text not null, claimed_at bigint not null, outcome text, call text, why text, took bigint)`,
    `create index dials_open on {dials} (host, worker) where outcome is null`,
    `create index dials_oldest on {dials} (claimed_at)`,
    `create table {recordings} (
      call text not null references {calls} (id) on delete cascade, id text not null, url text, duration bigint,
      at bigint not null, primary key (call, id))`,
  ],
]

/** Which version of the tables a database has. */
export interface VersionStore {
  /** Reads the version. 0 if there are no tables. */
  read(query: Query): Promise<number>
  /** Lets one process at a time go on with its transaction, and prepares the place for the tables. */
  begin(query: Query): Promise<void>
}

/** Creates or upgrades the tables. Several processes may do so at once. */
export async function migrate(db: Database, version: VersionStore): Promise<void> {
  // Most processes find the tables as they should be, and need no right to create any.
  if (checked(db, await version.read(db.query)) === migrations.length) return
  await db.transaction((query) => upgrade(db, version, query))
}

/** Creates or upgrades the tables in a transaction. Returns the version that they had. */
export async function upgrade(db: Database, version: VersionStore, query: Query): Promise<number> {
  await version.begin(query)
  const found = checked(db, await version.read(query))
  if (found === migrations.length) return found
  if (found === 0) await query('create table {tables} (version integer not null)')
  if (found === 0) await query('insert into {tables} (version) values (0)')
  for (const statement of migrations.slice(found).flat()) await query(statement)
  await query('update {tables} set version = $1', migrations.length)
  return found
}

/** The version of the tables that this version of endwell uses. */
export const newestTables = migrations.length

function checked({ where }: Database, version: number): number {
  if (version > migrations.length) throw new JournalVersionError(where, version, migrations.length)
  return version
}
