import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { SimRandom } from '../../src/testing/sim-random.ts'
import { pause } from '../crash/faults.ts'
import { compilePrograms } from '../crash/programs.ts'
import { Receiver } from '../crash/receiver.ts'
import { Site, type Store } from '../crash/site.ts'
import { handlers, judge } from '../crash/verdict.ts'
import { takeSample, type Sample } from './samples.ts'
import type { Soaked } from './soak-verdict.ts'
import { Talkers } from './talkers.ts'

export interface SoakOptions {
  readonly store: Store
  readonly minutes: number
  readonly callers: number
  readonly seed: number
  /** Keeps the folder with the host's logs and data. */
  readonly keep: boolean
  readonly print: (line: string) => void
}

export interface SoakResult extends Soaked {
  readonly talkers: Talkers
}

const EVERY = 5_000
/** How long the host may take to be done with calls whose callers have left or vanished, in milliseconds. */
const SETTLE = 90_000
/** How many samples in a row must be the same before the host is at rest. */
const STEADY = 3
/** How long the host may take to stop. */
const STOP = 20_000

/** Lets callers talk with a host for some minutes, and measures what it holds before, meanwhile and after. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const programs = await compilePrograms({ agent: 'test/soak/agent.ts', probe: 'test/soak/probe.ts' })
  try {
    return await new SoakRun(options, programs).run()
  } finally {
    if (options.keep) options.print(`kept ${programs}`)
    else await rm(programs, { recursive: true, force: true })
  }
}

class SoakRun {
  readonly #options: SoakOptions
  readonly #programs: string
  readonly #began = systemClock.now()

  constructor(options: SoakOptions, programs: string) {
    this.#options = options
    this.#programs = programs
  }

  async run(): Promise<SoakResult> {
    const { store, seed, callers: size } = this.#options
    const random = new SimRandom(seed)
    const changes = new Changes()
    const receiver = await Receiver.listen(random, changes)
    const folder = join(this.#programs, 'soak')
    const serve = { workers: 2, closeTimeout: 2_000, maxCalls: 1_000 }
    const base = { name: 'h', hosts: 1, programs: this.#programs, preload: 'probe' }
    const site = await Site.open({ ...base, store, folder, receiver, random, changes, serve })
    const talkers = new Talkers({ carrier: site.carrier, url: site.front.url, random, size })
    try {
      site.start()
      await changes.until(() => site.hosts.every(({ up }) => up))
      this.#print('the host is up')
      const measured = await this.#measure(site, receiver, talkers)
      await site.stop(STOP)
      const { lost, problems } = await judge(site, receiver, [], talkers.answered)
      for (const each of lost.slice(0, 10)) this.#options.print(`lost: ${each}`)
      const { first, reply } = talkers.measured
      const replaced = replacements(site.hosts[0]!.logFile)
      return { ...measured, latencies: [...first, ...reply], lost: lost.length, problems, replaced, talkers }
    } finally {
      talkers.abort()
      await site.end()
      receiver.close()
    }
  }

  async #measure(
    site: Site,
    receiver: Receiver,
    talkers: Talkers,
  ): Promise<Omit<Soaked, 'latencies' | 'lost' | 'problems' | 'replaced'>> {
    const total = this.#options.minutes * 60_000
    const warmUp = Math.min(total / 5, 120_000)
    await this.#talk(site, talkers, warmUp)
    const before = await this.#rest(site, receiver, talkers)
    const warm = talkers.begun
    const from = systemClock.now()
    const samples = await this.#talk(site, talkers, total - warmUp)
    const until = systemClock.now()
    const after = await this.#rest(site, receiver, talkers)
    return { from, until, before, after, samples, callers: talkers.begun - warm }
  }

  async #talk(site: Site, talkers: Talkers, ms: number): Promise<Sample[]> {
    const until = systemClock.now() + ms
    const samples: Sample[] = []
    talkers.start()
    while (systemClock.now() < until) {
      await pause(Math.min(EVERY, Math.max(0, until - systemClock.now())))
      const sample = await takeSample(site.hosts[0]!, site.folder)
      samples.push(sample)
      this.#show(sample, talkers)
    }
    return samples
  }

  /** Lets everybody leave, and waits until the host holds nothing more. Returns what it holds then. */
  async #rest(site: Site, receiver: Receiver, talkers: Talkers): Promise<Sample> {
    talkers.hangUp()
    receiver.polite = true
    const until = systemClock.now() + SETTLE
    const isDelivered = (): boolean =>
      talkers.answered.every(({ id }) =>
        handlers.every((handler) => (receiver.of(id, handler)?.accepted ?? 0) > 0),
      )
    let last = await takeSample(site.hosts[0]!, site.folder)
    for (let steady = 0; steady < STEADY && systemClock.now() < until;) {
      await pause(2_000)
      const sample = await takeSample(site.hosts[0]!, site.folder)
      const isAtRest = sample.files <= last.files && talkers.size === 0 && isDelivered()
      steady = isAtRest ? steady + 1 : 0
      last = sample
    }
    this.#show(last, talkers)
    receiver.polite = false
    return last
  }

  #show({ rss, heap, files, sockets, resources, journal }: Sample, talkers: Talkers): void {
    const { first, reply, late } = talkers.measured
    this.#print(
      [
        `${talkers.begun} callers, ${talkers.size} there`,
        `rss ${rss.toFixed(0)} MB`,
        `live ${heap.toFixed(1)} MB`,
        `${files} files, ${sockets} of them sockets, ${resources} handles`,
        `journal ${journal.toFixed(1)} MB`,
        `first sound ${recent(first)} ms, reply ${recent(reply)} ms, ${late.length} late`,
      ].join(' · '),
    )
  }

  #print(line: string): void {
    const at = (systemClock.now() - this.#began) / 1_000
    this.#options.print(`${at.toFixed(0).padStart(5)} s  ${line}`)
  }
}

/** The median of the last few. */
const recent = (list: readonly { readonly ms: number }[]): string =>
  (
    list
      .slice(-21)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b)
      .at(10) ?? 0
  ).toFixed(0)

/** Why the host replaced processes, by its log. */
function replacements(logFile: string): string[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => /"message":"(?:a worker is replaced|an event loop is blocked)"/.test(line))
    .map((line) => {
      const { worker, why, how, culprit } = JSON.parse(line) as Record<string, string | undefined>
      return why === undefined
        ? `${worker} was blocked by ${culprit} (${how})`
        : `${worker} was replaced: ${why}`
    })
}
