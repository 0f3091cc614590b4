import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openJournal, type Journal } from '../../../src/host/index.ts'
import { describeUrl } from '../../../src/host/journal/postgres/failure.ts'
import { newestTables } from '../../../src/host/journal/sql/schema.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import { Changes } from '../../../src/testing/servers/changes.ts'
import { runSql } from '../../postgres/database.ts'
import { startPostgres, type PostgresServer } from '../../postgres/start-postgres.ts'

const { LONG, appends, closes, joinAs, message, newCall, opens, write } = samples

const unavailable = { code: 'JOURNAL_UNAVAILABLE' }

/** Writes calls until it is stopped. Collects what was acknowledged, and with what the rest was rejected. */
class Writer {
  readonly acknowledged: string[] = []
  readonly rejected: unknown[] = []
  readonly changes = new Changes()
  readonly #journal: Journal
  readonly #name: string
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>

  constructor(journal: Journal, name: string) {
    this.#journal = journal
    this.#name = name
    this.#done = this.#run()
  }

  async #run(): Promise<void> {
    for (let index = 0; !this.#stopping.signal.aborted; index += 1) {
      const id = `${this.#name}${index}`
      const batch = [opens(newCall(id)), appends(id, 1, message(1, 'one'), message(2, 'two')), closes(id, 1)]
      await this.#journal.write(batch).then(
        () => this.acknowledged.push(id),
        (error: unknown) => this.rejected.push(error),
      )
      this.changes.notify()
    }
  }

  stop(): Promise<void> {
    this.#stopping.abort()
    return this.#done
  }
}

describe('a journal in Postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.end())

  it('[HO12] rejects while the server is down, works again afterwards, and has all that was acknowledged', async () => {
    const journal = await openJournal(server.url)
    const writers = ['a', 'b', 'c'].map((name) => new Writer(journal, name))
    const all = (check: (writer: Writer) => boolean): Promise<unknown> =>
      Promise.all(writers.map((writer) => writer.changes.until(() => check(writer))))
    await all(({ acknowledged }) => acknowledged.length >= 10)
    await server.stop('immediate')
    await all(({ rejected }) => rejected.length >= 2)
    await server.start()
    const before = writers.map(({ acknowledged }) => acknowledged.length)
    await all((writer) => writer.acknowledged.length >= before[writers.indexOf(writer)]! + 10)
    // A failing network: the server stays up.
    expect(await server.cutConnections()).toBeGreaterThan(0)
    const cut = writers.map(({ acknowledged }) => acknowledged.length)
    await all((writer) => writer.acknowledged.length >= cut[writers.indexOf(writer)]! + 10)
    // All of them, before anything is checked: the others would write more calls than can be checked meanwhile.
    await Promise.all(writers.map((writer) => writer.stop()))
    const rejected = writers.flatMap((writer) => writer.rejected)
    expect([...new Set(rejected.map((error) => (error as { code?: unknown }).code))]).toEqual([
      unavailable.code,
    ])
    const acknowledged = writers.flatMap((writer) => writer.acknowledged)
    for (const id of acknowledged) expect(await journal.entries(id)).toHaveLength(2)
    for (const { id, state } of await journal.list({ limit: 1_000 })) {
      expect(state).toBe('closed')
      expect(await journal.entries(id)).toHaveLength(2)
    }
    await journal.close()
  })

  it('[HO12] listens again after its connection was lost, and wakes its listeners', async () => {
    const journal = await openJournal({ url: server.url, schema: 'listening' })
    const woken: string[] = []
    const changes = new Changes()
    const stop = journal.onWake!((what) => {
      woken.push(what)
      changes.notify()
    })
    await joinAs(journal, 'h1')
    // Each time it begins to listen.
    await changes.until(() => woken.length === 2)
    await server.cutConnections()
    await changes.until(() => woken.length === 4)
    expect(woken).toEqual(['orders', 'work', 'orders', 'work'])
    await write(journal, opens(newCall('c1')))
    await journal.order({ call: 'c1', order: 'close' })
    await changes.until(() => woken.length === 5)
    expect(woken.at(-1)).toBe('orders')
    stop()
    await journal.close()
  })

  it('[HO12] gives up a statement that waits for a lock for too long', async () => {
    const schema = 'locking'
    const journal = await openJournal({ url: server.url, schema })
    await write(journal, opens(newCall('c1')))
    const hasty = await openJournal({ url: server.url, schema, statementTimeout: 500 })
    const other = new Client({ connectionString: server.url })
    await other.connect()
    await other.query(`begin; select * from ${schema}.calls for update`)
    await expect(write(hasty, closes('c1', 1))).rejects.toMatchObject({
      ...unavailable,
      // The server gave up, and holds nothing for the journal any more.
      message: expect.stringContaining('statement timeout') as string,
    })
    expect(await journal.find('c1')).toMatchObject({ state: 'live' })
    await other.end()
    expect(await write(journal, closes('c1', 1))).toEqual(['written'])
    await Promise.all([journal.close(), hasty.close()])
  })

  it('[HO12] gives up a server that accepts connections and does not answer', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const url = `postgres://bob:hunter2@127.0.0.1:${port}/calls`
    await expect(openJournal({ url, connectTimeout: 50 })).rejects.toMatchObject(unavailable)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('[HO13] does not adopt a call that another host has adopted since it looked', async () => {
    const schema = 'adopting'
    const first = await openJournal({ url: server.url, schema })
    // For this user, every read of a call waits at the gate, after it has begun to look.
    await runSql(
      server.url,
      'create role slow login',
      `grant all on schema ${schema} to slow; grant all on all tables in schema ${schema} to slow`,
      `create function ${schema}.gate() returns boolean language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(1); return true; end $$`,
      `alter table ${schema}.calls enable row level security`,
      `create policy gate on ${schema}.calls using (${schema}.gate())`,
    )
    const second = await openJournal({ url: server.url.replace('postgres@', 'slow@'), schema })
    await Promise.all([joinAs(first, 'h1'), joinAs(second, 'h2')])
    await write(first, opens(newCall('c1', { owner: { ...newCall('c1').owner, host: 'dead' } })))
    const gatekeeper = new Client({ connectionString: server.url })
    await gatekeeper.connect()
    await gatekeeper.query('select pg_advisory_lock(1)')
    const late = second.adopt('h2', 10)
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`
    while ((await runSql(server.url, waiting)).length === 0);
    expect(await first.adopt('h1', 10)).toMatchObject([{ id: 'c1', fence: 2 }])
    await gatekeeper.end()
    expect(await late).toEqual([])
    expect(await first.find('c1')).toMatchObject({ host: 'h1', fence: 2 })
    await Promise.all([first.close(), second.close()])
  })

  it('[HO14] has its tables created by many hosts at once', async () => {
    const schema = 'at_once'
    const journals = await Promise.all(
      Array.from({ length: 6 }, () => openJournal({ url: server.url, schema })),
    )
    await Promise.all(journals.map((journal, index) => joinAs(journal, `h${index}`)))
    expect(await journals[0]!.hosts()).toHaveLength(6)
    expect(await runSql(server.url, `select version from ${schema}.tables`)).toEqual([
      { version: newestTables },
    ])
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('[HO14] is refused if a newer version has changed its tables', async () => {
    const place = { url: server.url, schema: 'newer' }
    await (await openJournal(place)).close()
    await runSql(server.url, 'update newer.tables set version = 99')
    await expect(openJournal(place)).rejects.toMatchObject({ code: 'JOURNAL_VERSION' })
  })

  it('needs no right to create tables that exist, and says which right it lacks', async () => {
    await (await openJournal({ url: server.url, schema: 'granted' })).close()
    await runSql(
      server.url,
      'create role clerk login',
      'grant usage on schema granted to clerk',
      'grant select, insert, update, delete on all tables in schema granted to clerk',
    )
    const url = server.url.replace('postgres@', 'clerk@')
    const journal = await openJournal({ url, schema: 'granted' })
    await joinAs(journal, 'h1')
    expect(await journal.beat('h1', LONG)).toEqual({ orders: [] })
    await journal.close()
    await expect(openJournal({ url, schema: 'other' })).rejects.toMatchObject({
      code: 'JOURNAL_UNAVAILABLE',
      message: expect.stringMatching(/permission denied.*Grant the user/) as string,
    })
  })

  it('keeps journals in different schemas apart', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((schema) => openJournal({ url: server.url, schema })),
    )
    await write(one!, opens(newCall('c1')))
    expect(await two!.find('c1')).toBeUndefined()
    await Promise.all([one!.close(), two!.close()])
    await expect(openJournal({ url: server.url, schema: 'a"; drop' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    })
  })
})

describe('the address of a journal', () => {
  it.each([
    ['postgres://bob:hunter2@db.internal:5432/calls', 'postgres://bob@db.internal:5432/calls'],
    ['postgresql://bob:hun@ter2/?@db/calls?sslmode=require', 'postgresql://bob@db/calls'],
    ['postgres://db/calls?user=bob&password=hunter2', 'postgres://db/calls'],
    ['postgres:///calls?host=/run/pg', 'postgres:///calls'],
  ])('[HO15] is shown without its password: %s', (url, shown) => {
    expect(describeUrl(url)).toBe(shown)
  })

  it.each(['postgres://bob:hunter2@127.0.0.1:1/calls', 'postgres://bob:hunter2@127.0.0.1:99999/x'])(
    '[HO15] is in an error without its password: %s',
    async (url) => {
      const error: unknown = await openJournal(url).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('hunter2')
    },
  )
})
