import { readFileSync } from 'node:fs'
import { openJournal } from '../../src/host/index.ts'
import type { CrashHost } from '../../test/crash/crash-host.ts'
import { kill } from '../../test/crash/processes.ts'
import type { Site, Store } from '../../test/crash/site.ts'
import { percentile } from '../../test/crash/verdict.ts'
import { takeSample } from '../../test/soak/samples.ts'
import type { Sample } from '../bench.ts'
import type { Callers } from './callers.ts'
import { isolated } from './isolated.ts'
import { between, quantile, readAppends } from './metrics.ts'
import { DRAIN_TIMEOUT, withHost } from './with-host.ts'

/** Callers at once, and how long they call, in milliseconds. */
const BUSY = 20
const BUSY_FOR = 6_000
const TALK_FOR = 5_000
const IDLE = 60
/** Callers on the phone, and on pages, when a worker is killed. */
const CUT = 6
/** What callers who talk type again and again. */
const QUESTION = 'When are you open?'

/** Measures hosts on stores of their own. */
export async function sample(store: Store): Promise<Sample> {
  const shared = await withHost(
    store,
    { workers: 2, maxCalls: 10_000 },
    async ({ site, host, callers, folder }) => {
      const figures = {
        ...(await rate(callers, host)),
        ...(await journal(callers, host)),
        memory: await memory(callers, host, folder),
        ...(await back(callers, host)),
        replaced: await replaced(callers, host),
        drain: await drain(callers, host),
      }
      return { ...figures, lost: await lost(site, callers) }
    },
  )
  return { ...shared, ...(await isolated(store)) }
}

/** Calls that begin and end per second, and the CPU time of each. */
async function rate(callers: Callers, host: CrashHost): Promise<Sample> {
  await callForAWhile(callers, 1_500)
  const [began, cpu] = [performance.now(), cpuOf(host)]
  const calls = await callForAWhile(callers, BUSY_FOR)
  return {
    rate: (calls * 1_000) / (performance.now() - began),
    cost: (cpuOf(host) - cpu) / calls,
  }
}

async function callForAWhile(callers: Callers, ms: number): Promise<number> {
  const until = performance.now() + ms
  let calls = 0
  const callAgain = async (): Promise<void> => {
    while (performance.now() < until) {
      await callers.hangUp([await callers.page()])
      calls++
    }
  }
  await Promise.all(Array.from({ length: BUSY }, callAgain))
  return calls
}

/** Milliseconds of CPU time that all processes of the host have taken. */
function cpuOf(host: CrashHost): number {
  const ticks = host.processes().map((pid) => {
    // The name of the program is in brackets, and may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  // Linux counts in hundredths of a second.
  return ticks.reduce((sum, each) => sum + each, 0) * 10
}

/** How often a call writes to the journal, and how long a write takes. */
async function journal(callers: Callers, host: CrashHost): Promise<Sample> {
  const before = await readAppends(host.url!)
  const pages = await callers.pages(BUSY, QUESTION)
  await during(TALK_FOR)
  await callers.hangUp(pages)
  const writes = between(before, await readAppends(host.url!))
  return {
    appends: writes.count / BUSY,
    append50: quantile(writes, 0.5),
    append99: quantile(writes, 0.99),
  }
}

/** KB of live memory in the workers per idle call. */
async function memory(callers: Callers, host: CrashHost, folder: string): Promise<number> {
  const live = async (): Promise<number> => {
    const { processes } = await takeSample(host, folder)
    return processes
      .filter(({ role }) => role === 'calls')
      .reduce((sum, { heap, external }) => sum + heap + external, 0)
  }
  const before = await live()
  const pages = await callers.pages(IDLE)
  await during(2_000)
  const after = await live()
  await callers.hangUp(pages)
  return (after - before) / IDLE / 1_024
}

/** How long callers whose worker was killed do not hear the agent. */
async function back(callers: Callers, host: CrashHost): Promise<Sample> {
  const phones = await Promise.all(Array.from({ length: CUT }, () => callers.phone()))
  const all = [...phones, ...(await callers.pages(CUT, QUESTION))]
  await during(500)
  kill(host.processes('calls')[0])
  const isBack = (): boolean =>
    all.some(({ outages }) => outages.length > 0) &&
    all.every(({ outages }) => outages.every(({ until }) => until !== undefined))
  await callers.until(isBack)
  // Callers do not notice the cut at the same time.
  await during(1_000)
  await callers.until(isBack)
  const took = all.flatMap(({ outages }) => outages.map(({ from, until }) => until! - from))
  await callers.hangUp(all)
  return { back: percentile(took, 0.5), slowestBack: percentile(took, 1) }
}

/** Milliseconds without workers: until one has been started and takes a call. */
async function replaced(callers: Callers, host: CrashHost): Promise<number> {
  const began = performance.now()
  for (const pid of host.processes('calls')) kill(pid)
  const page = await callers.page()
  const took = performance.now() - began
  await callers.hangUp([page])
  return took
}

/** Milliseconds until a host with idle calls has ended, beyond the time that calls have to end by themselves. */
async function drain(callers: Callers, host: CrashHost): Promise<number> {
  await callers.pages(IDLE)
  await during(1_000)
  const began = performance.now()
  await host.stop(30_000)
  return performance.now() - began - DRAIN_TIMEOUT
}

/** Answered calls without a report. */
async function lost(site: Site, { answered }: Callers): Promise<number> {
  const store = await openJournal(site.journal)
  try {
    const found = await Promise.all([...answered].map((id) => store.find(id)))
    return found.filter((call) => call?.state !== 'closed').length
  } finally {
    await store.close()
  }
}

function during(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
