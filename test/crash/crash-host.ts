import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServeOptions } from '../../src/host/index.ts'
import { noop, systemClock, type Timer } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import type { HostProgram, UpMessage } from './host.ts'
import { kill, processesOf, type ProcessRole } from './processes.ts'

export interface CrashHostOptions {
  readonly name: string
  /** The folder of the compiled programs. */
  readonly programs: string
  /** The folder of its site: data, logs and fault points. */
  readonly folder: string
  readonly agentFile?: string
  /** The program that is loaded into every process before anything else. Default: `fault-points`. */
  readonly preload?: string
  readonly serve: ServeOptions
  readonly env: Readonly<Record<string, string>>
}

/** Milliseconds before a host that ended is started again. */
const RESTART = 200

/** A host in processes of its own, on a data folder that outlives them. Until `stop()`, it is started again when it ends. */
export class CrashHost {
  readonly name: string
  /** Where it listens, while it is up. */
  url: string | undefined
  /** Its id in the journal, when it came up. */
  id = ''
  /** How many times it was started. */
  lives = 0
  /** Workers that were killed in this life: those that die young are replaced more and more slowly. */
  workersKilled = 0
  /** A fault is under way. */
  busy = false
  /** The exit code, after `stop()`. Null if a signal ended it. */
  code: number | null | undefined
  readonly #options: CrashHostOptions
  readonly #changes: Changes
  #child: ChildProcess | undefined
  #stopping = false
  #restart: Timer | undefined

  constructor(options: CrashHostOptions, changes = new Changes()) {
    this.name = options.name
    this.#options = options
    this.#changes = changes
  }

  get data(): string {
    return join(this.#options.folder, `data-${this.name}`)
  }

  get logFile(): string {
    return join(this.#options.folder, `${this.name}.log`)
  }

  get up(): boolean {
    return this.url !== undefined
  }

  start(): void {
    const { programs, folder, serve, env, name, preload = 'fault-points' } = this.#options
    const { agentFile = join(programs, 'agent.js') } = this.#options
    mkdirSync(this.data, { recursive: true })
    const program: HostProgram = { agentFile, options: { ...serve, data: this.data, name, port: 0 } }
    this.lives++
    this.workersKilled = 0
    const child = spawn(
      process.execPath,
      ['--import', join(programs, `${preload}.js`), join(programs, 'host.js')],
      {
        env: {
          ...process.env,
          ...env,
          CRASH_HOST: JSON.stringify(program),
          CRASH_FOLDER: folder,
          CRASH_NAME: name,
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: true,
      },
    )
    this.#child = child
    const log = createWriteStream(this.logFile, { flags: 'a' })
    log.on('error', noop)
    for (const stream of [child.stdout, child.stderr]) stream?.on('error', noop).pipe(log, { end: false })
    child.on('error', noop)
    child.on('message', (message: UpMessage) => {
      this.url = message.url
      this.id = message.id
      this.#changes.notify()
    })
    child.once('exit', (code) => {
      log.end()
      this.url = undefined
      this.code = code
      this.#child = undefined
      if (!this.#stopping)
        this.#restart = systemClock.after(RESTART, `host ${name} starts again`, () => this.start())
      this.#changes.notify()
    })
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** The processes of a role, of this and of earlier lives, that are still there. */
  processes(role?: ProcessRole): number[] {
    return processesOf(this.#options.programs)
      .filter((each) => each.host === this.name && (role === undefined || each.role === role))
      .map(({ pid }) => pid)
  }

  /** The process of its supervisor in this life. */
  get supervisor(): number | undefined {
    return this.#child?.pid
  }

  /** Kills the supervisor alone. Its workers close their calls, and exit. */
  killSupervisor(): void {
    kill(this.supervisor)
  }

  /** Kills everything at once, as when the machine dies. */
  killAll(): number {
    const pids = this.processes()
    for (const pid of pids) kill(pid)
    return pids.length
  }

  /** Stops all processes, or makes them go on. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.processes()) kill(pid, signal)
  }

  /** Lets no process write to a file, or lets them again. Returns false if this machine cannot do that. */
  limitFiles(limit: 0 | 'unlimited'): boolean {
    const results = this.processes().map((pid) =>
      spawnSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:unlimited`]),
    )
    return results.length > 0 && results.every(({ status }) => status === 0)
  }

  /** Drains, as SIGTERM does, and does not start again. Resolves once all its processes have ended. */
  async stop(within: number): Promise<number | null | undefined> {
    this.#stopping = true
    this.#restart?.clear()
    if (this.#child) {
      kill(this.supervisor, 'SIGTERM')
      const timer = systemClock.after(within, `host ${this.name} stops`, () => void this.killAll())
      await this.until(() => this.#child === undefined)
      timer.clear()
    }
    this.killAll()
    return this.code
  }
}
