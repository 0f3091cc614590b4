// Loaded with `--import` into every process of a host. On SIGUSR2, the process writes what it holds to
// `probes/<pid>.json`. Garbage is collected first, so that the heap is what is alive.

import { mkdirSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export interface Probe {
  readonly pid: number
  /** Bytes of live objects, and of buffers outside of the heap. */
  readonly heap: number
  readonly external: number
  readonly rss: number
  /** Open handles and requests by kind, without timers. */
  readonly resources: Readonly<Record<string, number>>
}

/** The folder of the probes, below that of the site. */
export const PROBES = 'probes'

function counted(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of kinds)
    if (kind !== 'Timeout' && kind !== 'Immediate') counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function install(folder: string): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const file = join(folder, PROBES, `${process.pid}.json`)
  // Not synchronous: on a slow disk, that would block the event loop, and the host would replace the process.
  const write = async (): Promise<void> => {
    collect()
    const { heapUsed: heap, external, rss } = process.memoryUsage()
    const resources = counted(process.getActiveResourcesInfo())
    const probe = JSON.stringify({ pid: process.pid, heap, external, rss, resources } satisfies Probe)
    await writeFile(`${file}.new`, probe)
    await rename(`${file}.new`, file)
  }
  mkdirSync(join(folder, PROBES), { recursive: true })
  const attempt = (): void => void write().catch(() => {})
  process.on('SIGUSR2', attempt)
  // Only now may a signal come: it would kill a process without a listener.
  attempt()
}

const folder = process.env['CRASH_FOLDER']
if (isMainThread && folder !== undefined) install(folder)
