import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { systemClock } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { SimRandom } from '../../src/testing/sim-random.ts'
import type { Caller } from './caller.ts'
import { Chaos } from './chaos.ts'
import { pause } from './faults.ts'
import { compilePrograms } from './programs.ts'
import { Receiver } from './receiver.ts'
import { Site, type Store } from './site.ts'
import { handlers, judge, story, type Verdict } from './verdict.ts'

export interface CrashRunOptions {
  readonly stores: readonly Store[]
  /** In all stores together. */
  readonly kills: number
  readonly seed: number
  readonly lease: number
  /** Keeps the folder with the hosts' logs and data. */
  readonly keep: boolean
  readonly print: (line: string) => void
}

export interface CrashResult {
  readonly kills: number
  readonly verdicts: readonly Verdict[]
}

/** How long everything may take to have its report and its work done once all is whole again, in milliseconds. */
const SETTLE = 120_000
/** How long the hosts may take to stop then. */
const STOP = 20_000

/** Kills hosts and their processes under calls, on each store in turn. */
export async function crash(options: CrashRunOptions): Promise<CrashResult> {
  const { stores, kills, print, keep } = options
  const programs = await compilePrograms()
  try {
    let killed = 0
    const verdicts: Verdict[] = []
    for (const [index, store] of stores.entries()) {
      const share =
        Math.ceil((kills * (index + 1)) / stores.length) - Math.ceil((kills * index) / stores.length)
      print(`${store}: ${share} kills`)
      const result = await crashStore(options, programs, store, share)
      killed += result.kills
      verdicts.push(...result.verdicts)
    }
    return { kills: killed, verdicts }
  } finally {
    if (keep) print(`kept ${programs}`)
    else await rm(programs, { recursive: true, force: true })
  }
}

async function crashStore(
  options: CrashRunOptions,
  programs: string,
  store: Store,
  kills: number,
): Promise<CrashResult> {
  const { seed, lease, print } = options
  const random = new SimRandom(seed)
  const changes = new Changes()
  const receiver = await Receiver.listen(random, changes)
  const sites: Site[] = []
  const began = systemClock.now()
  const at = (): string => `${((systemClock.now() - began) / 1_000).toFixed(1)} s`
  try {
    // A folder belongs to one host, so there are three of them. A database belongs to all hosts.
    const [count, hosts] = store === 'sqlite' ? [3, 1] : [1, 3]
    for (let index = 0; index < count; index++) {
      const name = store === 'sqlite' ? `s${index + 1}-` : 'p'
      const folder = join(programs, name)
      const serve = { lease, resumeWindow: (4 * lease) / 3, workers: 2, closeTimeout: 2_000 }
      sites.push(await Site.open({ name, store, hosts, programs, folder, receiver, random, changes, serve }))
    }
    for (const site of sites) {
      site.start()
      site.call({ size: Math.round(12 / count), lifetime: [3_000, 25_000] })
    }
    await changes.until(() => sites.every(({ hosts: all }) => all.every(({ up }) => up)))
    print(`  ${at()}  all hosts are up`)
    const chaos = new Chaos({
      sites,
      random,
      changes,
      lease,
      kills,
      progress: ({ what }, done) => print(`  ${at()}  ${done} of ${kills}  ${what}`),
    })
    await chaos.run()
    print(`  ${at()}  callers hang up, and everything is to be settled`)
    await settle(sites, receiver, changes)
    const codes = await Promise.all(sites.map((site) => site.stop(STOP)))
    print(`  ${at()}  the hosts have ended with ${codes.flat().map(String).join(', ')}`)
    const verdicts = await Promise.all(sites.map((site) => judge(site, receiver, chaos.hostKills)))
    if (process.env['CRASH_DEBUG'])
      for (const site of sites)
        for (const c of site.crowd!.answered)
          if (/4404|application/.test(c.end)) {
            print(
              `DEBUG ${c.end} ${c.id} ${JSON.stringify(c.outages.map((o) => [new Date(systemClock.date() - systemClock.now() + o.from).toISOString().slice(17), o.until && new Date(systemClock.date() - systemClock.now() + o.until).toISOString().slice(17)]))}`,
            )
            for (const line of story(site, c.id))
              if (!/after-call/.test(line)) print(`    ${line.slice(0, 300)}`)
          }
    for (const [index, { lost }] of verdicts.entries())
      for (const each of lost.slice(0, 3)) tell(sites[index]!, each, print)
    return { kills: chaos.kills, verdicts }
  } finally {
    for (const site of sites) await site.end()
    receiver.close()
  }
}

function tell(site: Site, lost: string, print: (line: string) => void): void {
  const [, id = ''] = /^\w+ (\S+):/.exec(lost) ?? []
  print(`lost: ${lost}`)
  for (const line of story(site, id).slice(0, 30)) print(`    ${line.slice(0, 400)}`)
}

/** Waits until every call has ended, and the work of every answered one was delivered, or until the time is up. */
async function settle(sites: readonly Site[], receiver: Receiver, changes: Changes): Promise<void> {
  receiver.polite = true
  for (const { crowd } of sites) crowd?.hangUp()
  const until = systemClock.now() + SETTLE
  const isDelivered = ({ id }: Caller): boolean =>
    handlers.every((handler) => (receiver.of(id, handler)?.accepted ?? 0) > 0)
  const isSettled = (): boolean =>
    sites.every(({ crowd }) => crowd?.present.length === 0 && crowd.answered.every(isDelivered))
  const timer = systemClock.after(SETTLE, 'everything is settled', () => changes.notify())
  await changes.until(() => systemClock.now() >= until || isSettled())
  timer.clear()
  // Also calls that nobody answered. Only Postgres lets somebody else look.
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
