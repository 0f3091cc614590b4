import { systemClock } from '../../src/scope/index.ts'
import type { Caller } from './caller.ts'
import type { CrashHost } from './crash-host.ts'
import { Stage, type StageOptions } from './stage.ts'

export interface RollingResult {
  /** Hosts that were replaced. */
  readonly hosts: number
  readonly calls: number
  /** Calls that did not end by their caller, or that were cut off in between. */
  readonly dropped: number
  /** Callers who were refused, or who heard nothing until they gave up. */
  readonly busy: number
  /** The exit codes of the hosts. */
  readonly codes: readonly (number | null | undefined)[]
  /** Milliseconds from SIGTERM until a host had ended. */
  readonly drainMs: readonly number[]
}

const HOSTS = 3
const CALLS = 50
/** How long a caller stays, in milliseconds. */
const LIFETIME = [8_000, 15_000] as const
const PATIENCE = 120_000

/** Replaces three hosts one after another, as a deployment does, under phone calls. */
export async function rolling(options: StageOptions): Promise<RollingResult> {
  await using stage = await Stage.open(options)
  const serve = { lease: 15_000, workers: 1, drainTimeout: 60_000 }
  // A load balancer notices late that a host drains, and sends it calls meanwhile.
  const site = await stage.site('r', 'postgres', { hosts: HOSTS, serve, lookEvery: 3_000 })
  const old = [...site.hosts]
  site.start()
  await ready(stage, old)
  const crowd = site.call({ size: CALLS, phones: 1, lifetime: LIFETIME })
  await stage.until(PATIENCE, 'all callers talk', () => crowd.talking.length >= CALLS - 5)
  stage.print(`${crowd.talking.length} callers talk`)
  const codes: (number | null | undefined)[] = []
  const drainMs: number[] = []
  for (const host of old) {
    const next = site.add()
    next.start()
    const began = systemClock.now()
    codes.push(await host.stop(PATIENCE))
    drainMs.push(Math.round(systemClock.now() - began))
    await ready(stage, [next])
    stage.print(`${host.name} has drained and ended with ${codes.at(-1)}; ${next.name} is up`)
  }
  crowd.stop()
  await stage.until(PATIENCE, 'all callers have hung up', () => crowd.present.length === 0)
  const dropped = crowd.answered.filter(isDropped)
  const busy = crowd.all.filter(({ answered }) => !answered)
  for (const { id, end, outages } of [...dropped, ...busy].slice(0, 10))
    stage.print(`${id}: ${end}, cut off ${outages.length} times`)
  return {
    hosts: old.length,
    calls: crowd.all.length,
    dropped: dropped.length,
    busy: busy.length,
    codes,
    drainMs,
  }
}

const isDropped = ({ end, outages }: Caller): boolean => end !== 'phone: caller' || outages.length > 0

async function ready(stage: Stage, hosts: readonly CrashHost[]): Promise<void> {
  if (!(await stage.until(PATIENCE, 'hosts are up', () => hosts.every(({ up }) => up))))
    throw new Error('the hosts did not start')
}
