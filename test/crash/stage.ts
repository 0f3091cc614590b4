import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServeOptions } from '../../src/host/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { SimRandom } from '../../src/testing/sim-random.ts'
import { compilePrograms } from './programs.ts'
import { Receiver } from './receiver.ts'
import { Site, type SiteOptions, type Store } from './site.ts'

export interface StageOptions {
  readonly seed: number
  /** Keeps the folder with the hosts' logs and data. */
  readonly keep: boolean
  readonly print: (line: string) => void
}

/** Compiled programs, a receiver, and the sites that were opened. Disposing of it leaves nothing behind. */
export class Stage implements AsyncDisposable {
  readonly random: SimRandom
  readonly changes = new Changes()
  readonly receiver: Receiver
  readonly sites: Site[] = []
  readonly #options: StageOptions
  readonly #programs: string
  readonly #began = systemClock.now()

  private constructor(
    options: StageOptions,
    parts: Pick<Stage, 'random' | 'changes' | 'receiver'>,
    programs: string,
  ) {
    this.#options = options
    this.random = parts.random
    this.changes = parts.changes
    this.receiver = parts.receiver
    this.#programs = programs
  }

  static async open(options: StageOptions): Promise<Stage> {
    const random = new SimRandom(options.seed)
    const changes = new Changes()
    const programs = await compilePrograms()
    const receiver = await Receiver.listen(random, changes)
    return new Stage(options, { random, changes, receiver }, programs)
  }

  /** Opens a site. Its hosts have to be started. */
  async site(
    name: string,
    store: Store,
    {
      hosts,
      serve,
      ...rest
    }: { readonly hosts: number; readonly serve: ServeOptions } & Partial<
      Pick<SiteOptions, 'env' | 'agentFile' | 'lookEvery'>
    >,
  ): Promise<Site> {
    const { receiver, random, changes } = this
    const programs = this.#programs
    const folder = join(programs, name)
    const shared = { programs, folder, receiver, random, changes }
    const site = await Site.open({ ...rest, ...shared, name, store, hosts, serve })
    this.sites.push(site)
    return site
  }

  /** The path of a compiled program. */
  program(name: string): string {
    return join(this.#programs, `${name}.js`)
  }

  print(line: string): void {
    const at = ((systemClock.now() - this.#began) / 1_000).toFixed(1)
    this.#options.print(`  ${at.padStart(6)} s  ${line}`)
  }

  /** Resolves when the condition is true, and to whether that was within `ms`. */
  async until(ms: number, what: string, met: () => boolean): Promise<boolean> {
    let late = false
    const timer = systemClock.after(ms, what, () => {
      late = true
      this.changes.notify()
    })
    await this.changes.until(() => late || met())
    timer.clear()
    return met()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const site of this.sites) await site.end()
    this.receiver.close()
    if (this.#options.keep) this.#options.print(`kept ${this.#programs}`)
    else await rm(this.#programs, { recursive: true, force: true })
  }
}
