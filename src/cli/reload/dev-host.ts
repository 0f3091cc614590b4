import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProductionHost, type HostPrograms } from '../../host/dev.ts'
import type { ReceptionEnd, ServeOptions } from '../../host/index.ts'
import { newKey } from '../../lines/index.ts'
import { EndwellError, describeError, systemClock, type ErrorCode } from '../../scope/index.ts'
import { MemoryJournal } from '../../testing/memory-journal.ts'
import { readDevRequest, type DevRequest, type OpenedVersion } from './dev-messages.ts'
import { fingerprintOf } from './fingerprint.ts'
import { WatchedFiles } from './watched-files.ts'

/** One version of the agent file, and what it was started with. */
export interface Version extends OpenedVersion {
  /** 1 for the first. */
  readonly generation: number
}

/** A version that could not be loaded. */
export interface NotLoaded {
  readonly generation: number
  readonly code: string
  readonly message: string
  /** Whether an earlier version takes calls. */
  readonly goesOn: boolean
}

/** What the settings of a version are, as of now: `.env` may have changed. */
export interface VersionSettings {
  readonly serve: ServeOptions
  readonly env: NodeJS.ProcessEnv
}

export interface DevHostOptions {
  readonly file: string
  readonly model: string | undefined
  readonly json: boolean
  /** Called for each version. */
  readonly settings: () => Promise<VersionSettings>
  /** Prints what a worker says, as text or as JSON. */
  readonly terminal: { print(...lines: readonly string[]): void; json(value: unknown): void }
  /** A new version answers. `calls` go on with those before. */
  readonly reloaded: (version: Version, calls: number) => void
  /** A change could not be loaded. The previous version keeps taking calls. */
  readonly notLoaded: (error: NotLoaded) => void
  /** Something that the user should know. */
  readonly warned: (text: string) => void
  /** Ends the start. */
  readonly signal?: AbortSignal
}

/** How it ended: the sum over all versions. */
export interface DevEnd extends Omit<ReceptionEnd, 'notWritten'> {
  /** What kept the process of the agent open, in words. */
  readonly held: readonly string[]
}

/** Milliseconds for workers to report their calls after an abort. Then they are killed. On a busy machine, 200 were not enough. */
const ABORT_PATIENCE = 1_000

/** A worker that has been started. */
interface Attempt {
  readonly generation: number
  /** The files that it has loaded. */
  readonly files: Set<string>
  opened: OpenedVersion | undefined
  /** Whether the worker has said why it could not load the file. */
  hasFailed: boolean
  /** How its process has ended. */
  exit: string | undefined
}

/**
 * Serves an agent file with a process per version: the host of `endwell start`, with a journal in memory. When a file that a version
 * has loaded changes, the next version is started; see `SupervisorMachine` for how it takes over.
 *
 *   WatchedFiles ─ changed ─▶ DevHost ─ reload ─▶ Supervisor ─▶ dev-worker.ts: version 1 (drains), version 2 (takes calls)
 *        ▲                       ▲                                   │
 *        └──── loaded files ─────┴────── opened, failed, print ──────┘
 */
export class DevHost {
  readonly #options: DevHostOptions
  readonly #watched: WatchedFiles
  readonly #attempts = new Map<string, Attempt>()
  /** For what workers write if this process is killed. Usually never made. */
  readonly #data = join(tmpdir(), `endwell-dev-${newKey()}`)
  readonly #held = new Set<string>()
  #host: ProductionHost | undefined
  #generation = 1
  /** The version that takes calls. */
  #version: Version | undefined
  #began: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  #sessions = 0
  #notClean = 0
  #clean = true
  #reading: Promise<void> = Promise.resolve()
  #closing: number | undefined
  #signals = 0

  private constructor(options: DevHostOptions) {
    this.#options = options
    this.#watched = new WatchedFiles({
      changed: () => this.#changed(),
      failed: (folder, why) => options.warned(`changes in ${folder} are not noticed: ${why}`),
    })
  }

  /** Resolves when the first version takes calls. Rejects if it cannot be loaded, or if the port is taken. */
  static async start(options: DevHostOptions): Promise<DevHost> {
    const dev = new DevHost(options)
    const { serve, env } = await options.settings()
    const began = new Promise<void>((resolved, reject) => (dev.#began = { resolve: resolved, reject }))
    const programs: HostPrograms = {
      calls: dev.#program(env),
      answer: (worker, request) => dev.#told(worker, request),
      listener: {
        started: (worker) => dev.#started(worker),
        ready: (worker) => dev.#ready(worker),
        exited: (worker, code, signal) => dev.#exited(worker, code, signal),
        notLoaded: (worker) => dev.#notLoaded(worker),
      },
    }
    const journal = new MemoryJournal()
    dev.#host = await ProductionHost.start(options.file, dev.#serving(serve), journal, programs)
    dev.#watched.add(fileNow(resolve('.env')))
    const stop = (): void => dev.#failed({ generation: 1, code: 'CANCELLED', message: 'the start was ended' })
    options.signal?.addEventListener('abort', stop, { once: true })
    if (options.signal?.aborted) stop()
    try {
      await began
      return dev
    } catch (error) {
      await dev.#host.ended
      dev.#remove()
      throw error
    }
  }

  get url(): string {
    return this.#host!.url
  }

  get version(): Version {
    return this.#version!
  }

  /** Closes the calls, and then the server. */
  async close(): Promise<DevEnd> {
    this.#end('close')
    const code = await this.#host!.ended
    const took = systemClock.now() - (this.#closing ?? 0)
    this.#remove()
    const clean = code === 0 && this.#clean
    return { clean, took, sessions: this.#sessions, notClean: this.#notClean, held: [...this.#held] }
  }

  /** Aborts everything, also while it closes. Resolves when no process is left. */
  async abort(): Promise<void> {
    this.#end('close')
    this.#host!.abort()
    const timer = systemClock.after(ABORT_PATIENCE, 'kill what was aborted', () => this.#end('kill'))
    await this.#host!.ended
    timer.clear()
    this.#remove()
  }

  /** The signals of a host: the first lets calls finish, the second closes them, the third kills. */
  #end(how: 'close' | 'kill'): void {
    this.#closing ??= systemClock.now()
    this.#watched.close()
    for (; this.#signals < (how === 'close' ? 2 : 3); this.#signals++) this.#host?.signal()
  }

  #remove(): void {
    rmSync(this.#data, { recursive: true, force: true })
  }

  #program(env: NodeJS.ProcessEnv): HostPrograms['calls'] {
    const { model, json } = this.#options
    const own = { generation: this.#generation, model, json }
    return {
      entry: fileURLToPath(new URL('dev-worker.js', import.meta.url)),
      args: [JSON.stringify(own)],
      env,
      // A debugger needs a port of its own for each process.
      execArgv: process.execArgv.map((each) =>
        each.startsWith('--inspect') ? '--inspect=127.0.0.1:0' : each,
      ),
    }
  }

  #serving(serve: ServeOptions): ServeOptions {
    return { ...serve, data: this.#data }
  }

  // ── reload ──

  /** Starts the next version. One after the other: the settings are read first. */
  #changed(): void {
    this.#reading = this.#reading.then(async () => {
      if (this.#closing !== undefined) return
      try {
        const { serve, env } = await this.#options.settings()
        this.#generation++
        this.#host!.reload(this.#program(env), this.#serving(serve))
      } catch (error) {
        const { code = 'FAILED', message } = describeError(error)
        this.#failed({ generation: this.#generation + 1, code, message })
      }
    })
  }

  #started(worker: string): void {
    for (const [name, { exit }] of this.#attempts) if (exit !== undefined) this.#attempts.delete(name)
    const generation = this.#generation
    const files = new Set<string>()
    this.#attempts.set(worker, { generation, files, opened: undefined, hasFailed: false, exit: undefined })
  }

  #ready(worker: string): void {
    const { generation, opened, files } = this.#attempts.get(worker) ?? {}
    if (generation === undefined || !opened || !files) return
    const isReload = this.#version !== undefined && generation > this.#version.generation
    this.#version = { ...opened, generation }
    this.#watched.eager = false
    this.#watched.keep(new Set([...files, resolve('.env')]))
    this.#began?.resolve()
    this.#began = undefined
    if (!isReload) return
    const before = this.#host!.workers.filter(({ name }) => name !== worker)
    this.#options.reloaded(
      this.#version,
      before.reduce((sum, { calls }) => sum + calls, 0),
    )
  }

  /** The process of a version has ended. */
  #exited(worker: string, code: number | null, signal: NodeJS.Signals | null): void {
    const attempt = this.#attempts.get(worker)
    if (!attempt) return
    attempt.exit = `ended the process that loaded it, with ${signal ?? `exit code ${code}`}`
    // The host would start it again.
    if (this.#began) this.#notLoaded(worker)
  }

  #notLoaded(worker: string): void {
    const attempt = this.#attempts.get(worker)
    if (!attempt || attempt.hasFailed) return
    const { generation, exit = 'takes too long to load' } = attempt
    this.#failed({ generation, code: 'AGENT_FILE', message: `${this.#options.file} ${exit}` })
  }

  /** A version could not be loaded. Without one before it, that is the end. */
  #failed(error: Omit<NotLoaded, 'goesOn'>): void {
    this.#watched.eager = true
    if (this.#closing !== undefined) return
    if (!this.#began) {
      const goesOn = this.#host!.workers.some(({ phase }) => phase === 'ready')
      return this.#options.notLoaded({ ...error, goesOn })
    }
    this.#began.reject(new EndwellError(error.code as ErrorCode, error.message))
    this.#began = undefined
    this.#end('kill')
  }

  // ── what workers tell ──

  #told(worker: string, value: unknown): unknown {
    const request = readDevRequest(value)
    if (!request) return undefined
    this.#take(worker, request)
    return true
  }

  #take(worker: string, request: DevRequest): void {
    const attempt = this.#attempts.get(worker)
    switch (request.type) {
      case 'print':
        return this.#options.terminal.print(...request.lines)
      case 'json':
        return this.#options.terminal.json(request.value)
      case 'ended':
        return this.#ended(request)
      case 'loaded':
        attempt?.files.add(request.path)
        // Files that are loaded later, by a version that drains, are not watched.
        if (attempt?.generation === this.#generation) this.#watched.add(request)
        return undefined
      case 'opened':
        if (attempt) attempt.opened = { name: request.name, models: request.models }
        return undefined
      case 'failed':
        if (!attempt) return undefined
        attempt.hasFailed = true
        return this.#failed({
          generation: attempt.generation,
          code: request.code,
          message: request.message,
        })
      case 'finished': {
        const { clean, sessions, notClean } = request.end
        if (!clean) this.#clean = false
        this.#sessions += sessions
        this.#notClean += notClean
        for (const each of request.held) this.#held.add(each)
        return undefined
      }
    }
  }

  #ended({ call, lines, value }: Extract<DevRequest, { readonly type: 'ended' }>): void {
    const { json, terminal } = this.#options
    const url = `${this.url}/#/sessions/${encodeURIComponent(call)}`
    if (json) terminal.json({ ...value, url })
    else terminal.print(...lines, `         replay it at ${url}`)
  }
}

/** A file with the content that it has now. */
function fileNow(path: string): { readonly path: string; readonly fingerprint: string } {
  return { path, fingerprint: fingerprintOf(path) }
}
