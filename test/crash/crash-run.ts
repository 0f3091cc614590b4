import { Client } from 'pg'
import { systemClock } from '../../src/scope/index.ts'
import type { Caller } from './caller.ts'
import { Chaos } from './chaos.ts'
import { pause, type Done } from './faults.ts'
import type { Site, Store } from './site.ts'
import { Stage, type StageOptions } from './stage.ts'
import { handlers, judge, spooled, story, type Verdict } from './verdict.ts'

export interface CrashRunOptions extends StageOptions {
  readonly stores: readonly Store[]
  /** In all stores together. */
  readonly kills: number
  readonly lease: number
}

export interface CrashResult {
  readonly kills: number
  readonly verdicts: readonly Verdict[]
}

/** How long the hosts may take to start, in milliseconds: a busy machine has other things to do. */
const UP = 60_000
/** How long everything may take to have its report and its work done once all is whole again, in milliseconds. */
const SETTLE = 120_000
/** How long the hosts may take to stop then. */
const STOP = 20_000

/** Kills hosts and their processes under calls, on each store in turn. */
export async function crash(options: CrashRunOptions): Promise<CrashResult> {
  const { stores, kills, print } = options
  let killed = 0
  const verdicts: Verdict[] = []
  for (const [index, store] of stores.entries()) {
    const share =
      Math.ceil((kills * (index + 1)) / stores.length) - Math.ceil((kills * index) / stores.length)
    print(`${store}: ${share} kills`)
    const result = await crashStore(options, store, share)
    killed += result.kills
    verdicts.push(...result.verdicts)
  }
  return { kills: killed, verdicts }
}

async function crashStore(options: CrashRunOptions, store: Store, kills: number): Promise<CrashResult> {
  const { lease, print } = options
  await using stage = await Stage.open(options)
  const { sites, random, changes, receiver } = stage
  // A folder belongs to one host, so there are three of them. A database belongs to all hosts.
  const names = store === 'sqlite' ? ['s1-', 's2-', 's3-'] : ['p']
  const serve = { lease, resumeWindow: (4 * lease) / 3, workers: 2, closeTimeout: 2_000 }
  for (const name of names) await stage.site(name, store, { hosts: 3 / names.length, serve })
  for (const site of sites) {
    site.start()
    site.call({ size: 12 / names.length, lifetime: [3_000, 25_000] })
  }
  const up = await stage.until(UP, 'all hosts are up', () =>
    sites.every(({ hosts }) => hosts.every((host) => host.up)),
  )
  if (!up) throw new Error('the hosts did not start')
  stage.print('all hosts are up')
  const progress = ({ what }: Done, done: number): void => stage.print(`${done} of ${kills}  ${what}`)
  const chaos = new Chaos({ sites, random, changes, lease, kills, progress })
  await chaos.run()
  stage.print('callers hang up, and everything is to be settled')
  await settle(stage)
  const codes = await Promise.all(sites.map((site) => site.stop(STOP)))
  stage.print(`the hosts have ended with ${codes.flat().map(String).join(', ')}`)
  const verdicts = await Promise.all(sites.map((site) => judge(site, receiver, chaos.hostKills)))
  for (const [index, { lost, stuck }] of verdicts.entries())
    for (const each of [...lost, ...stuck].slice(0, 3)) tell(sites[index]!, each, print)
  return { kills: chaos.kills, verdicts }
}

/** Prints what the hosts logged about a call. */
function tell(site: Site, wrong: string, print: (line: string) => void): void {
  const [, id = ''] = /^\w+ (\S+):/.exec(wrong) ?? []
  print(wrong)
  for (const line of story(site, id).slice(0, 30)) print(`    ${line.slice(0, 400)}`)
}

/** Waits until every call has ended, and the work of every answered one was delivered, or until the time is up. */
async function settle(stage: Stage): Promise<void> {
  const { receiver, sites } = stage
  receiver.polite = true
  for (const { crowd } of sites) crowd?.hangUp()
  const until = systemClock.now() + SETTLE
  const isDelivered = ({ id }: Caller): boolean =>
    handlers.every((handler) => (receiver.of(id, handler)?.accepted ?? 0) > 0)
  await stage.until(SETTLE, 'everything is settled', () =>
    sites.every(({ crowd }) => crowd?.present.length === 0 && crowd.answered.every(isDelivered)),
  )
  // Also calls that nobody answered. They may be in a spool, which another life of its host imports once the lease is over.
  const hosts = sites.flatMap((site) => site.hosts)
  while (systemClock.now() < until && hosts.some(({ data }) => spooled(data).length > 0)) await pause(500)
  // Only Postgres lets somebody else look.
  for (const url of sites.flatMap(({ postgres }) => (postgres ? [postgres.url] : [])))
    while (systemClock.now() < until && (await hasLiveCalls(url))) await pause(500)
}

async function hasLiveCalls(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`select 1 from endwell.calls where state = 'live' limit 1`)
    return rows.length > 0
  } finally {
    await client.end()
  }
}
