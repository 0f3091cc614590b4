import { readFileSync } from 'node:fs'
import type { Store } from '../../test/crash/site.ts'
import type { CrashHost } from '../../test/crash/crash-host.ts'
import type { Sample } from '../bench.ts'
import { withHost } from './with-host.ts'

/** Callers at once, of whom one finds a process that waits. */
const CALLS = 8
/** How long processes have to start and to become quiet, in milliseconds. */
const SETTLES = 3_000

/** Measures a host with one process per call: the memory of a call, and how long calls wait that come at once. */
export function isolated(store: Store): Promise<Sample> {
  return withHost(store, { isolation: 'process', workers: 1, maxCalls: 100 }, async ({ host, callers }) => {
    await callers.hangUp([await callers.page()])
    await pause()
    const before = memoryOf(host)
    const began = performance.now()
    const pages = await callers.pages(CALLS)
    const burst = performance.now() - began
    await pause()
    const after = memoryOf(host)
    await callers.hangUp(pages)
    return { isolatedMemory: (after - before) / CALLS, burst }
  })
}

/** MB of the call workers. Memory that processes share counts once. */
function memoryOf(host: CrashHost): number {
  const kilobytes = host.processes('calls').map((pid) => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss: +(\d+) kB$/m.exec(text)![1])
  })
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1_024
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLES))
}
