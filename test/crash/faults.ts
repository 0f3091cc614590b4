import { Client } from 'pg'
import { noop, systemClock } from '../../src/scope/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import type { CrashHost } from './crash-host.ts'
import { arm, points, type Point } from './points.ts'
import { kill } from './processes.ts'
import type { Site } from './site.ts'

/** What the harness did, and how many processes or hosts it killed by that. */
export interface Done {
  readonly what: string
  readonly kills: number
  /** Whether a whole host died. */
  readonly host?: true
}

export interface FaultContext {
  readonly site: Site
  readonly host: CrashHost
  readonly random: SimRandom
  readonly lease: number
}

export type Fault = (context: FaultContext) => Promise<Done>

/** How long a named point may take to be reached, in milliseconds. */
const REACH = 6_000

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    systemClock.after(ms, 'a pause between faults', resolve)
  })

// ── kills ──

const worker: Fault = async ({ host, random }) => {
  const pids = host.processes('calls')
  if (pids.length === 0) return { what: `no call worker on ${host.name}`, kills: 0 }
  host.workersKilled++
  kill(random.pick(pids))
  return { what: `kill -9 a call worker of ${host.name}`, kills: 1 }
}

const workWorker: Fault = async ({ host }) => {
  const [pid] = host.processes('work')
  kill(pid)
  return { what: `kill -9 the work worker of ${host.name}`, kills: pid === undefined ? 0 : 1 }
}

const supervisor: Fault = async ({ host }) => {
  host.killSupervisor()
  return { what: `kill -9 the supervisor of ${host.name}`, kills: 1 }
}

const wholeHost: Fault = async ({ host }) => {
  host.killAll()
  return { what: `kill -9 host ${host.name}`, kills: 1, host: true }
}

/** Kills a host, and has the others look for dead hosts again and again, so that several adopt at once. */
const contested: Fault = async ({ site, host, lease }) => {
  host.killAll()
  wakeAll(site, 2 * lease).catch(noop)
  return { what: `kill -9 host ${host.name}, and all others adopt at once`, kills: 1, host: true }
}

async function wakeAll(site: Site, within: number): Promise<void> {
  const client = new Client({ connectionString: site.postgres!.url })
  client.on('error', noop)
  await client.connect()
  const until = systemClock.now() + within
  try {
    while (systemClock.now() < until) {
      await client.query(`select pg_notify('endwell_wake', 'orders')`)
      await pause(100)
    }
  } finally {
    await client.end().catch(noop)
  }
}

export const atPoint =
  (point: Point): Fault =>
  async (context) => {
    const { site } = context
    const { reached } = arm(site.folder, point, REACH)
    const provoked = point.after === undefined ? undefined : await provoke[point.after](context)
    const kills = Number(await reached) + (provoked?.kills ?? 0)
    const first = provoked ? `${provoked.what}, then ` : ''
    return { what: `${first}kill -9 at ${point.name}${(await reached) ? '' : ' (not reached)'}`, kills }
  }

const provoke: Readonly<Record<NonNullable<Point['after']>, Fault>> = { worker, supervisor, host: wholeHost }

// ── other faults ──

const frozen =
  (what: string, pids: (host: CrashHost) => readonly (number | undefined)[]): Fault =>
  async ({ host, lease }) => {
    const stopped = pids(host)
    for (const pid of stopped) kill(pid, 'SIGSTOP')
    await pause(lease + 1_500)
    for (const pid of stopped) kill(pid, 'SIGCONT')
    return { what: `SIGSTOP ${what} of ${host.name} past the lease, then SIGCONT`, kills: 0 }
  }

const postgresDown: Fault = async ({ site, random }) => {
  await site.postgres!.stop('immediate')
  await pause(random.int(500, 3_500))
  await site.postgres!.start()
  return { what: 'Postgres stopped with -m immediate, and started again', kills: 0 }
}

const connectionsCut: Fault = async ({ site }) => {
  const count = await site.postgres!.cutConnections().catch(() => 0)
  return { what: `${count} connections to Postgres cut`, kills: 0 }
}

const diskFull: Fault = async ({ host, random }) => {
  const ran = host.limitFiles(0)
  await pause(random.int(1_000, 4_000))
  host.limitFiles('unlimited')
  return {
    what: ran ? `the disk of ${host.name} is full for a while` : 'disk full: not run, no prlimit',
    kills: 0,
  }
}

export interface Card {
  readonly fault: Fault
  /** The fault stops Postgres: no other does at the same time. */
  readonly exclusive?: true
}

const card = (fault: Fault): Card => ({ fault })
const times = (count: number, fault: Fault): Card[] => Array.from({ length: count }, () => card(fault))

/** One round of faults for a store. Rounds are shuffled, so that every fault comes up once per round. */
export function killingFaults(site: Pick<Site, 'store'>): Card[] {
  return [
    ...times(7, worker),
    ...times(3, workWorker),
    ...times(4, supervisor),
    ...times(4, wholeHost),
    ...(site.store === 'postgres' ? times(2, contested) : []),
    ...points.map((point) => card(atPoint(point))),
  ]
}

/** Faults that kill nothing, one of which goes with every few kills. */
export function otherFaults(site: Pick<Site, 'store'>): Card[] {
  return [
    card(frozen('all processes', (host) => host.processes())),
    card(frozen('the supervisor', (host) => [host.supervisor])),
    card(frozen('the workers', (host) => host.processes('calls'))),
    card(diskFull),
    ...(site.store === 'postgres'
      ? [
          { fault: postgresDown, exclusive: true } as const,
          { fault: postgresDown, exclusive: true } as const,
          card(connectionsCut),
          card(connectionsCut),
        ]
      : []),
  ]
}
