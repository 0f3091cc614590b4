import { join } from 'node:path'
import type { Sample } from '../../bench.ts'
import { lowerQuartile } from '../../median.ts'
import { heap } from '../../sampling.ts'
import type { CostSession, CostSubject } from './cost-subject.ts'
import { sizeOfEndwell, sizeOfPackages } from './install-size.ts'
import { allSocketsClosed } from './open-sockets.ts'
import { VendorProcess, importCosts, runOnce } from './own-processes.ts'

/** Sessions that are open at once, for the heap and for closing all of them. */
const MANY = 200
/** The longest time that closed sessions may keep timers. `@livekit/agents` keeps one for 5 s. */
const SETTLE_TIMEOUT = 6_500

/** Takes one sample of every figure. `module` is the URL of a module that exports a `subject`. */
export async function measureCosts(module: string): Promise<Sample> {
  const { subject } = (await import(module)) as { subject: CostSubject }
  const install = subject.packages
    ? sizeOfPackages(join('bench', 'peers'), subject.packages)
    : sizeOfEndwell('.')
  const vendor = subject.vendor && (await VendorProcess.start(subject.vendor))
  const url = vendor?.url ?? ''
  try {
    const start = (): Promise<CostSession> => subject.start(url)
    // Warm up: in the first rounds the code is not yet optimized.
    await lives(start, 500)
    const life = await lives(start, 1_000)
    const close = await closes(start, 1_500)
    const { heapPerSession, closeMany, heapBefore } = await manyAtOnce(start)
    // A process that has closed its call only waits for its exit, if it is still there at all.
    const { ready, exit } = await runOnce(module, url)
    const imports = await importCosts(subject.imports)
    await noTimers()
    const kept = Math.max(0, (heap() - heapBefore) / MANY / 1_024)
    return {
      ...imports,
      packages: install.packages,
      install: install.megabytes,
      ready,
      ...life,
      close,
      exit: await exit,
      heap: heapPerSession,
      kept,
      closeMany,
    }
  } finally {
    await vendor?.stop()
  }
}

/** Milliseconds of the steps in the life of a session: the lower quartile of as many sessions as fit into the time. */
async function lives(start: () => Promise<CostSession>, forMs: number): Promise<Sample> {
  const taken: Record<'start' | 'reply' | 'interrupt', number[]> = { start: [], reply: [], interrupt: [] }
  const sessions: CostSession[] = []
  for (const until = performance.now() + forMs; performance.now() < until && sessions.length < MANY;) {
    let session: CostSession | undefined
    taken.start.push(
      await timed(async () => {
        session = await start()
      }),
    )
    sessions.push(session!)
    taken.reply.push(await timed(() => session!.reply()))
    if (session!.interrupt) taken.interrupt.push(await timed(() => session!.interrupt!()))
  }
  await Promise.all(sessions.map((session) => session.close()))
  await allSocketsClosed()
  const measured = Object.entries(taken).filter(([, times]) => times.length > 0)
  return Object.fromEntries(measured.map(([name, times]) => [name, lowerQuartile(times)]))
}

/** Milliseconds until an idle session and its connection have closed. The first close warms up. */
async function closes(start: () => Promise<CostSession>, forMs: number): Promise<number> {
  const times: number[] = []
  for (const until = performance.now() + forMs; performance.now() < until || times.length < 2;) {
    const session = await start()
    times.push(await timed(() => closed([session])))
  }
  return lowerQuartile(times.slice(1))
}

async function manyAtOnce(
  start: () => Promise<CostSession>,
): Promise<{ heapPerSession: number; closeMany: number; heapBefore: number }> {
  await noTimers()
  const heapBefore = heap()
  const sessions: CostSession[] = []
  while (sessions.length < MANY) sessions.push(await start())
  const heapPerSession = (heap() - heapBefore) / MANY / 1_024
  const closeMany = await timed(() => closed(sessions))
  return { heapPerSession, closeMany, heapBefore }
}

async function closed(sessions: readonly CostSession[]): Promise<void> {
  await Promise.all(sessions.map((session) => session.close()))
  await allSocketsClosed()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Waits until no timer is left in the process. */
async function noTimers(): Promise<void> {
  const isTimer = (resource: string): boolean => resource === 'Timeout'
  for (const until = performance.now() + SETTLE_TIMEOUT; performance.now() < until;) {
    // The timer of this pause is no longer active when the next round looks.
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (!process.getActiveResourcesInfo().some(isTimer)) return
  }
}
