import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/scope/index.ts'
import { freePort } from '../../free-port.ts'

/** How long Prometheus may take to start, or to scrape. */
const PATIENCE = 30_000

/** One sample of an instant query. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/** A Prometheus that scrapes one target every second, with its data in a temporary folder. */
export class Prometheus {
  readonly version: string
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #url: string
  #output = ''

  private constructor(program: string, target: string, port: number) {
    this.version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0] ?? ''
    this.#folder = mkdtempSync(join(tmpdir(), 'endwell-prometheus-'))
    this.#url = `http://127.0.0.1:${port}`
    const config = join(this.#folder, 'prometheus.yml')
    const job = { job_name: 'endwell', static_configs: [{ targets: [target] }] }
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [job] }))
    this.#child = spawn(
      program,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#output = (this.#output + data.toString()).slice(-2_000)
    })
  }

  /** Resolves when it is ready. `target` is a host and a port. */
  static async start(program: string, target: string): Promise<Prometheus> {
    const prometheus = new Prometheus(program, target, await freePort())
    try {
      await prometheus.#until('ready', async () => (await fetch(`${prometheus.#url}/-/ready`)).ok)
      return prometheus
    } catch (error) {
      await prometheus.stop()
      throw error
    }
  }

  async query(expression: string): Promise<readonly Sample[]> {
    const { data } = await this.#get<QueryAnswer>(`query?query=${encodeURIComponent(expression)}`)
    return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
  }

  /** What it knows about each metric of the target. */
  async metadata(): Promise<readonly Metadata[]> {
    const { data } = await this.#get<{ data: readonly Metadata[] }>('targets/metadata')
    return data
  }

  /** The state of the target, and why a scrape failed. */
  async target(): Promise<{ readonly health: string; readonly lastError: string }> {
    const { data } = await this.#get<TargetsAnswer>('targets')
    const [target] = data.activeTargets
    return { health: target?.health ?? 'unknown', lastError: target?.lastError ?? '' }
  }

  /** Resolves when the query returns this value. */
  async has(expression: string, value: number): Promise<void> {
    await this.#until(`${expression} ${value}`, async () =>
      (await this.query(expression)).some((sample) => sample.value === value),
    )
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const exited = new Promise((resolve) => this.#child.once('exit', resolve))
      this.#child.kill('SIGKILL')
      await exited
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${this.#url}/api/v1/${path}`)
    if (!response.ok)
      throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }

  async #until(what: string, check: () => Promise<boolean>): Promise<void> {
    const end = systemClock.now() + PATIENCE
    while (!(await check().catch(() => false))) {
      if (systemClock.now() > end || this.#child.exitCode !== null)
        throw new Error(`prometheus never had ${what}\n${this.#output}`)
      await new Promise<void>((resolve) => void systemClock.after(100, 'next check', resolve))
    }
  }
}

export interface Metadata {
  readonly metric: string
  readonly type: string
  readonly help: string
}

interface QueryAnswer {
  readonly data: {
    readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[]
  }
}

interface TargetsAnswer {
  readonly data: {
    readonly activeTargets: readonly { readonly health: string; readonly lastError: string }[]
  }
}
