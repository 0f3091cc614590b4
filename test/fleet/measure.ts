import { readFileSync, readdirSync } from 'node:fs'
import { Client } from 'pg'
import { openJournal, type CallWrite, type Journal } from '../../src/host/journal/index.ts'
import { samples } from '../../src/testing/journal-conformance/index.ts'
import { startPostgres } from '../postgres/start-postgres.ts'

const { closes, message, newCall, opens, ownerOn } = samples

/** What one request costs. */
export interface Measured {
  readonly name: string
  /** Milliseconds of CPU in all processes of the server, per request. */
  readonly cpu: number
  /** Milliseconds from the request to its answer, the median. Includes the commit, which is on disk. */
  readonly latency: number
}

/** Milliseconds per tick of `/proc/<pid>/stat`. */
const TICK = 10
const LEASE = 3_600_000
const PAR = 4

/**
 * Measures what the requests of a fleet cost on a real Postgres with `hosts` hosts and `calls` live calls. CPU is read from
 * the kernel, so that it does not depend on what else the machine does. Needs Linux.
 */
export async function measure(
  hosts: number,
  calls: number,
  say: (line: string) => void,
): Promise<Measured[]> {
  const server = await startPostgres()
  const client = new Client({ connectionString: server.url })
  try {
    await client.connect()
    const journal = await openJournal(server.url)
    say(`filling the tables with ${hosts} hosts and ${calls} calls`)
    await fill(client, hosts, calls)
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    const postmaster = Number(
      readFileSync(`${rows[0]!.data_directory}/postmaster.pid`, 'utf8').split('\n')[0],
    )
    const results: Measured[] = []
    for (const [name, { count, request }] of Object.entries(requests(hosts, calls))) {
      say(`measuring: ${name}`)
      results.push({ name, ...(await run(journal, postmaster, count, request)) })
    }
    await journal.close()
    return results
  } finally {
    await client.end().catch(() => {})
    await server.end()
  }
}

type Request = (journal: Journal, index: number) => Promise<unknown>

function requests(hosts: number, calls: number): Record<string, { count: number; request: Request }> {
  const host = (index: number): string => `h${1 + (index % hosts)}`
  const call = (index: number): string => `c${1 + ((index * 7919) % calls)}`
  const fresh = (index: number): string => `new${index}`
  const entries = (index: number, count: number): CallWrite[] =>
    Array.from({ length: count }, (_, at) => ({
      type: 'entries',
      call: call(index * count + at),
      fence: 1,
      entries: [
        message(10 + Math.floor((index * count + at) / calls), 'I would like to book a table for four'),
      ],
    }))
  let batch = 0
  return {
    beat: { count: 4_000, request: (journal, index) => journal.beat(host(index), LEASE) },
    'adopt nothing': { count: 400, request: (journal, index) => journal.adopt(host(index), 20) },
    find: { count: 4_000, request: (journal, index) => journal.find(call(index)) },
    open: {
      count: 3_000,
      request: (journal, index) =>
        journal.write([opens(newCall(fresh(index), { owner: ownerOn(host(index)), work: ['save'] }))]),
    },
    close: { count: 3_000, request: (journal, index) => journal.write([closes(fresh(index), 1)]) },
    entry: { count: 3_000, request: (journal) => journal.write(entries(batch++, 1)) },
    '20 entries': { count: 1_000, request: (journal) => journal.write(entries(batch++ + 50_000, 20)) },
    'claim nothing': {
      count: 1_000,
      request: (journal) => journal.claim('w', { limit: 10, lease: 60_000 }),
    },
    'adopt 20': {
      count: 100,
      request: async (journal, index) => {
        if (index % 10 === 0) await journal.leave(host(100 + index / 10))
        return journal.adopt(host(0), 20)
      },
    },
    take: {
      count: 500,
      request: (journal, index) => journal.take(call(index), ownerOn(host(0), 'w9')),
    },
  }
}

async function fill(client: Client, hosts: number, calls: number): Promise<void> {
  // As in production: a commit is on disk.
  await client.query('alter system set fsync = on')
  await client.query("alter system set shared_buffers = '256MB'")
  await client.query('select pg_reload_conf()')
  await client.query('set search_path = endwell')
  await client.query(
    `insert into hosts (id, name, version, capacity, started_at, lease_until)
     select 'h' || i, 'host', '1', 300, 0, 9000000000000000 from generate_series(1, $1::int) i`,
    [hosts],
  )
  await client.query(
    `insert into calls (id, host, worker, address, fence, state, agent, line, opened_at, words)
     select 'c' || i, 'h' || (1 + i % $2::int), 'w' || (1 + i % 4), '10.0.0.1:1', 1, 'live', 'desk', 'phone', i, 'desk'
     from generate_series(1, $1::int) i`,
    [calls, hosts],
  )
  await client.query(
    `insert into entries (call, seq, at, item, words)
     select 'c' || i, s, 0, '{"type":"message","id":"m","at":0,"role":"user","text":"I would like to book a table"}', 'text'
     from generate_series(1, $1::int) i, generate_series(1, 4) s`,
    [calls],
  )
  await client.query(
    `insert into work (key, call, handler, state) select 'k' || i, 'c' || i, 'save', 'waiting'
     from generate_series(1, $1::int) i`,
    [calls],
  )
  await client.query('vacuum analyze')
}

async function run(
  journal: Journal,
  postmaster: number,
  count: number,
  request: Request,
): Promise<Omit<Measured, 'name'>> {
  const before = cpuOf(postmaster)
  const took: number[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const began = performance.now()
      await request(journal, next++)
      took.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: PAR }, worker))
  const cpu = (cpuOf(postmaster) - before) / count
  return { cpu, latency: took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]! }
}

/** Milliseconds of CPU that the processes of the server have used so far. */
function cpuOf(postmaster: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (Number(fields[1]) === postmaster || Number(pid) === postmaster)
        ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It has ended.
    }
  return ticks * TICK
}
