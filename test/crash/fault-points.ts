// Loaded with `--import` into every process of a host, before anything else. Names the moments between two writes to the
// journal, and kills the process at the one that the harness has armed. Production code knows nothing about it.
//
//   calls.open.asked        a call worker is about to send a request to its supervisor
//   calls.open.answered     … has received the answer, and not acted on it
//   work.settle.asked       the same for the work worker
//   supervisor.close.committing   the supervisor is about to commit, or to run a single statement
//   supervisor.close.committed    … has committed, and told nobody
//
// The harness arms a point by creating the file `armed/<point>`. The process that gets there first moves the file to
// `reached/<point>.<pid>` and dies.

import { renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const folder = process.env['CRASH_FOLDER'] ?? ''
const identity = process.env['ENDWELL_WORKER']
const role = identity === undefined ? 'supervisor' : (JSON.parse(identity) as { role: string }).role

function reach(point: string): void {
  try {
    renameSync(join(folder, 'armed', point), join(folder, 'reached', `${point}.${process.pid}`))
  } catch {
    return
  }
  process.kill(process.pid, 'SIGKILL')
}

// ── workers: requests to the supervisor ──

interface Message {
  readonly type?: string
  readonly id?: number
  readonly body?: { readonly type?: string; readonly request?: { method: string; args: readonly unknown[] } }
}

/** The kind of write, for a batch: the weightiest. */
function labelOf({ method, args: [batch] }: { method: string; args: readonly unknown[] }): string {
  if (method !== 'write') return method
  const types = new Set((batch as readonly { type: string }[]).map(({ type }) => type))
  return ['close', 'open', 'entries'].find((type) => types.has(type)) ?? method
}

function watchRequests(): void {
  const asked = new Map<number, string>()
  const send = process.send!.bind(process) as (...args: unknown[]) => boolean
  process.send = ((...args: unknown[]) => {
    const [message] = args as [Message]
    if (message.type === 'request' && message.body?.type === 'journal' && message.body.request) {
      const label = labelOf(message.body.request)
      asked.set(message.id!, label)
      reach(`${role}.${label}.asked`)
    }
    return send(...args)
  }) as NonNullable<typeof process.send>
  const emit = process.emit.bind(process) as (...args: unknown[]) => boolean
  process.emit = ((...args: unknown[]) => {
    const [event, message] = args as [string, Message]
    const label = event === 'message' && message.type === 'answer' ? asked.get(message.id!) : undefined
    if (label !== undefined) {
      asked.delete(message.id!)
      reach(`${role}.${label}.answered`)
    }
    return emit(...args)
  }) as typeof process.emit
}

// ── the supervisor: statements of its database ──

/** What a statement writes, the weightiest first. */
const writes: readonly (readonly [label: string, pattern: RegExp])[] = [
  ['close', /state = 'closed'/],
  ['open', /insert into \S*calls/],
  ['orphan', /set host = \S+ worker = null/],
  ['take', /set host = \S+ worker = (\$|\?)/],
  ['claim', /set state = 'running'/],
  ['settle', /update \S*work"? set state = (\$|\?)/],
  ['entries', /insert into \S*entries/],
  ['join', /insert into \S*hosts/],
  ['beat', /update \S*hosts"? set lease_until/],
]

const rankOf = (sql: string): number => writes.findIndex(([, pattern]) => pattern.test(sql))

/** Follows the statements of one connection. */
class Statements {
  #inside = false
  #rank = -1

  /** Returns the label of what is committed by this statement, if it commits anything. */
  next(sql: string): string | undefined {
    if (sql.startsWith('begin')) {
      this.#inside = !sql.includes('commit')
      this.#rank = -1
      return undefined
    }
    if (/^(commit|rollback)/.test(sql)) {
      this.#inside = false
      return sql === 'commit' ? writes[this.#rank]?.[0] : undefined
    }
    const rank = rankOf(sql)
    if (!this.#inside) return writes[rank]?.[0]
    if (rank >= 0 && (this.#rank < 0 || rank < this.#rank)) this.#rank = rank
    return undefined
  }
}

function around<T>(label: string | undefined, run: () => T): T {
  if (label === undefined) return run()
  reach(`supervisor.${label}.committing`)
  const result = run()
  if (!(result instanceof Promise)) {
    reach(`supervisor.${label}.committed`)
    return result
  }
  return result.then((value: unknown) => {
    reach(`supervisor.${label}.committed`)
    return value
  }) as T
}

type Method = (...args: unknown[]) => unknown

function watchPostgres(Client: { prototype: { query: Method } }): void {
  const connections = new WeakMap<object, Statements>()
  const { query } = Client.prototype
  Client.prototype.query = function (this: object, ...args: unknown[]) {
    const [config] = args as [string | { readonly text?: string }]
    const sql = typeof config === 'string' ? config : config.text
    if (sql === undefined) return Reflect.apply(query, this, args)
    const statements = connections.get(this) ?? new Statements()
    connections.set(this, statements)
    return around(statements.next(sql), () => Reflect.apply(query, this, args))
  }
}

function watchSqlite(Database: { prototype: { exec: Method; prepare: Method } }): void {
  const statements = new Statements()
  const { exec, prepare } = Database.prototype
  Database.prototype.exec = function (this: object, sql: unknown) {
    return around(statements.next(String(sql)), () => Reflect.apply(exec, this, [sql]))
  }
  Database.prototype.prepare = function (this: object, sql: unknown) {
    const statement = Reflect.apply(prepare, this, [sql]) as { all: Method }
    const all = statement.all.bind(statement)
    statement.all = (...values) => around(statements.next(String(sql)), () => all(...values))
    return statement
  }
}

function watchDatabases(): void {
  const load = createRequire(import.meta.url)
  watchPostgres((load('pg') as { Client: Parameters<typeof watchPostgres>[0] }).Client)
  try {
    watchSqlite((load('node:sqlite') as { DatabaseSync: Parameters<typeof watchSqlite>[0] }).DatabaseSync)
  } catch {
    // Node 20 has no SQLite of its own.
    watchSqlite(load('libsql') as Parameters<typeof watchSqlite>[0])
  }
}

if (isMainThread && folder !== '') {
  if (role === 'supervisor') watchDatabases()
  else watchRequests()
}
