import { rmSync } from 'node:fs'
import type { ServeOptions } from '../../src/host/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { SimRandom } from '../../src/testing/sim-random.ts'
import type { CrashHost } from '../../test/crash/crash-host.ts'
import { Receiver } from '../../test/crash/receiver.ts'
import { Site, type Store } from '../../test/crash/site.ts'
import { Callers } from './callers.ts'
import { makePrograms } from './programs.ts'

export const DRAIN_TIMEOUT = 500

/** A host that is up, and what calls it. */
export interface Measured {
  readonly site: Site
  readonly host: CrashHost
  readonly callers: Callers
  /** The folder of its programs and samples. */
  readonly folder: string
}

/** Measures a host on a store of its own, and ends it. */
export async function withHost<T>(
  store: Store,
  options: ServeOptions,
  measure: (measured: Measured) => Promise<T>,
): Promise<T> {
  const changes = new Changes()
  const random = new SimRandom(1)
  const programs = makePrograms()
  const receiver = await Receiver.listen(random, changes)
  const serve: ServeOptions = {
    // The compiled sources have no package.json with a version.
    version: 'bench',
    closeTimeout: 2_000,
    drainTimeout: DRAIN_TIMEOUT,
    logLevel: 'warn',
    ...options,
  }
  const base = { name: 'h', hosts: 1, programs, folder: programs, preload: 'probe' }
  const site = await Site.open({ ...base, store, receiver, random, changes, serve })
  const [host] = site.hosts as [CrashHost]
  try {
    site.start()
    await changes.until(() => host.up)
    return await measure({ site, host, callers: new Callers(site, changes), folder: programs })
  } finally {
    await site.end()
    receiver.close()
    rmSync(programs, { recursive: true, force: true })
  }
}
