import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal, type CallRecord, type Journal } from '../../src/host/index.ts'
import type { Caller } from './caller.ts'
import type { HostKill } from './chaos.ts'
import type { Receiver } from './receiver.ts'
import type { Site } from './site.ts'

export const handlers = ['crm', 'audit'] as const

/** What became of the calls of a site. */
export interface Verdict {
  /** Calls that were answered. */
  readonly calls: number
  /** Answered calls without a report, or whose work was not delivered. */
  readonly lost: readonly string[]
  /** Answered calls with a report. */
  readonly reports: number
  /** Deliveries that the receiver had confirmed before, under the same key. */
  readonly doubled: number
  /** Deliveries under another key than before. */
  readonly doubledUnkeyed: number
  /** Calls that nobody answered, and that are still open. */
  readonly stuck: readonly string[]
  /** What else is wrong. */
  readonly problems: readonly string[]
  /** Milliseconds from the kill of a host until each of its calls went on, or had its report. */
  readonly adoptMs: readonly number[]
  /** Milliseconds from a cut until the caller heard the agent again. */
  readonly backMs: readonly number[]
  /** How many calls ended for each reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** How many callers left in each way. */
  readonly ends: Readonly<Record<string, number>>
}

/** A cut within this time after the kill of a host is due to it, in milliseconds. */
const DUE = 500

/** A caller who was answered. */
export type Answered = Omit<Caller, 'hangUp' | 'abort'>

/** Compares what callers, the receiver and the journal know. The hosts have to be stopped. */
export async function judge(
  site: Site,
  receiver: Receiver,
  hostKills: readonly HostKill[],
  answered: readonly Answered[] = site.crowd?.answered ?? [],
): Promise<Verdict> {
  const journal = await openJournal(site.journal)
  try {
    const records = await allCalls(journal)
    const kills = hostKills.filter((each) => each.site === site)
    const delivered = answered.flatMap(({ id }) =>
      handlers.flatMap((handler) => receiver.of(id, handler) ?? []),
    )
    const reports = answered.filter(({ id }) => records.get(id)?.state === 'closed')
    return {
      calls: answered.length,
      lost: answered.flatMap((caller) => {
        const why = lostWhy(caller, records, receiver)
        return why === undefined ? [] : [`${caller.kind} ${caller.id}: ${why}`]
      }),
      reports: reports.length,
      doubled: sum(delivered.map(({ accepted }) => Math.max(0, accepted - 1))),
      doubledUnkeyed: sum(delivered.map(({ keys }) => keys.size - 1)),
      stuck: stuckCalls(site, records),
      problems: [
        ...delivered.flatMap(({ reports: different, keys }) =>
          different.size > 1 ? [`${[...keys].join(', ')}: ${different.size} different reports`] : [],
        ),
        ...site.hosts.flatMap((host) => [
          ...spooled(host.data).map((file) => `${file} was left in the spool`),
          ...crashes(host.logFile),
        ]),
      ],
      adoptMs: answered.flatMap((caller) => adoptTimes(caller, kills, records.get(caller.id))),
      backMs: answered.flatMap(({ outages }) =>
        outages.flatMap(({ from, until }) => (until === undefined ? [] : [until - from])),
      ),
      ends: counted(answered.map(({ end }) => end)),
      reasons: counted(reports.map(({ id }) => records.get(id)?.reason ?? '')),
    }
  } finally {
    await journal.close()
  }
}

async function allCalls(journal: Journal): Promise<Map<string, CallRecord>> {
  const calls = new Map<string, CallRecord>()
  let last: CallRecord | undefined
  for (;;) {
    const page = await journal.list({
      limit: 1_000,
      ...(last ? { before: last.openedAt, beforeId: last.id } : {}),
    })
    for (const call of page) calls.set(call.id, call)
    last = page.at(-1)
    if (page.length < 1_000) return calls
  }
}

function lostWhy(
  { id }: Answered,
  records: ReadonlyMap<string, CallRecord>,
  receiver: Receiver,
): string | undefined {
  const record = records.get(id)
  if (!record) return 'not in the journal'
  if (record.state !== 'closed')
    return `no report, host ${record.host}, worker ${record.owner?.worker ?? 'none'}`
  const missing = handlers.filter((handler) => (receiver.of(id, handler)?.accepted ?? 0) === 0)
  return missing.length > 0 ? `${missing.join(' and ')} not delivered` : undefined
}

/** Open calls, if other hosts could have closed them. A single host closes them at its next start. */
function stuckCalls(site: Site, records: ReadonlyMap<string, CallRecord>): string[] {
  if (site.store === 'sqlite') return []
  const live = [...records.values()].filter(({ state }) => state === 'live')
  return live.map(
    ({ id, line, host, owner }) =>
      `${line} ${id}: still open, host ${host}, worker ${owner?.worker ?? 'none'}`,
  )
}

/** Files with writes that the journal does not have yet. */
export function spooled(data: string): string[] {
  const folder = join(data, 'spool')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Errors that ended a process by themselves: Node prints its version after each. */
function crashes(logFile: string): string[] {
  const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n') : []
  return lines.flatMap((line, index) => {
    if (!/^Node\.js v\d/.test(line)) return []
    const error = lines.slice(Math.max(0, index - 30), index).findLast((each) => /^\w*Error\b/.test(each))
    return [`a process crashed: ${error ?? 'see its log'}`]
  })
}

function adoptTimes(
  { outages }: Answered,
  kills: readonly HostKill[],
  record: CallRecord | undefined,
): number[] {
  return outages.flatMap(({ from, until }) => {
    const cause = kills.findLast(({ now }) => from >= now && from - now < DUE)
    if (!cause) return []
    if (until !== undefined) return [until - cause.now]
    return record?.endedAt === undefined ? [] : [Math.max(0, record.endedAt - cause.date)]
  })
}

/** The lines of the hosts' logs that name a call. */
export function story(site: Site, call: string): string[] {
  return site.hosts.flatMap(({ name, logFile }) =>
    existsSync(logFile)
      ? readFileSync(logFile, 'utf8')
          .split('\n')
          .filter((line) => line.includes(call))
          .map((line) => `${name} ${line}`)
      : [],
  )
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** The value below which a share of all values lies. 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
