import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServeOptions } from '../../src/host/index.ts'
import { TwilioCarrier } from '../../src/testing/servers/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import { startPostgres, type PostgresServer } from '../postgres/start-postgres.ts'
import { CrashHost } from './crash-host.ts'
import { Crowd, type CrowdOptions } from './crowd.ts'
import { Front } from './front.ts'
import type { Receiver } from './receiver.ts'

export type Store = 'sqlite' | 'postgres'

export interface SiteOptions {
  readonly name: string
  readonly store: Store
  readonly hosts: number
  readonly programs: string
  /** A folder for everything that the site writes. */
  readonly folder: string
  readonly receiver: Receiver
  readonly random: SimRandom
  readonly changes: Changes
  readonly serve: ServeOptions
  readonly agentFile?: string
  readonly preload?: string
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds between two looks of the load balancer at `/readyz`. Default: 200. */
  readonly lookEvery?: number
}

/** Hosts that share a journal, behind one address, with a carrier and callers. */
export class Site {
  readonly name: string
  readonly store: Store
  readonly folder: string
  readonly carrier: TwilioCarrier
  readonly hosts: CrashHost[]
  readonly front: Front
  readonly postgres: PostgresServer | undefined
  readonly #options: SiteOptions
  crowd: Crowd | undefined

  private constructor(options: SiteOptions, parts: Pick<Site, 'carrier' | 'hosts' | 'front' | 'postgres'>) {
    this.#options = options
    this.name = options.name
    this.store = options.store
    this.folder = options.folder
    this.carrier = parts.carrier
    this.hosts = parts.hosts
    this.front = parts.front
    this.postgres = parts.postgres
  }

  static async open(options: SiteOptions): Promise<Site> {
    const { store, folder } = options
    for (const each of ['armed', 'reached']) mkdirSync(join(folder, each), { recursive: true })
    const postgres = store === 'postgres' ? await startPostgres() : undefined
    const carrier = await TwilioCarrier.listen({ random: options.random })
    const hosts: CrashHost[] = []
    // The front has to be there before the hosts, which say where they are reached.
    const front = await Front.listen(hosts, options.lookEvery ?? 200)
    const site = new Site(options, { carrier, hosts, front, postgres })
    for (let index = 0; index < options.hosts; index++) site.add()
    return site
  }

  /** Adds a host, which has to be started. */
  add(): CrashHost {
    const { folder, programs, receiver, serve, changes, name, agentFile, preload, env } = this.#options
    const { authToken, accountSid, url: api } = this.carrier
    const host = new CrashHost(
      {
        name: `${name}${this.hosts.length + 1}`,
        programs,
        folder,
        ...(agentFile === undefined ? {} : { agentFile }),
        ...(preload === undefined ? {} : { preload }),
        serve: {
          ...serve,
          publicUrl: this.front.url,
          ...(this.postgres ? { databaseUrl: this.postgres.url } : {}),
          phone: { authToken, accountSid, api },
        },
        env: { CRASH_RECEIVER: receiver.url, ...env },
      },
      changes,
    )
    this.hosts.push(host)
    return host
  }

  start(): void {
    for (const host of this.hosts) host.start()
  }

  /** Lets callers call. */
  call(crowd: Pick<CrowdOptions, 'size' | 'phones' | 'lifetime'>): Crowd {
    const { random, changes } = this.#options
    this.crowd = new Crowd({
      ...crowd,
      carrier: this.carrier,
      url: this.front.url,
      random,
      changed: () => changes.notify(),
    })
    return this.crowd
  }

  /** Where the journal is. */
  get journal(): string {
    return this.postgres?.url ?? this.hosts[0]!.data
  }

  /** Stops the hosts. They have `within` milliseconds for it. Returns their exit codes. */
  async stop(within: number): Promise<readonly (number | null | undefined)[]> {
    this.crowd?.stop()
    return await Promise.all(this.hosts.map((host) => host.stop(within)))
  }

  /** Ends everything that is left. */
  async end(): Promise<void> {
    this.crowd?.abort()
    await this.stop(0)
    this.front.close()
    await this.carrier.close()
    await this.postgres?.end()
  }
}
