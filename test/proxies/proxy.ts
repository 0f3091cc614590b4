import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { systemClock } from '../../src/scope/index.ts'
import { findProgram } from '../watch/scrape/find-program.ts'
import { forTest, type ProxyName } from './configurations.ts'
import { freePort } from '../free-port.ts'

/** How long a proxy may take to listen, in milliseconds. */
const PATIENCE = 20_000

/** The path of a proxy, if it is installed. Daemons are in folders that are not in everyone's PATH. */
export function findProxy(name: ProxyName): string | undefined {
  process.env['PATH'] = [process.env['PATH'], '/usr/sbin', '/usr/local/sbin'].join(delimiter)
  return findProgram(name)
}

/** A real proxy on the loopback interface, with its file of `deploy/`. */
export class Proxy {
  readonly port: number
  readonly #child: ChildProcess
  readonly #folder: string
  #output = ''

  private constructor(name: ProxyName, program: string, ports: { readonly proxy: number; host: number }) {
    this.port = ports.proxy
    this.#folder = mkdtempSync(join(tmpdir(), `endwell-${name}-`))
    // The workers of nginx may run as another user.
    chmodSync(this.#folder, 0o755)
    const file = join(this.#folder, 'configuration')
    writeFileSync(file, forTest(name, { ...ports, folder: this.#folder }))
    const args =
      name === 'nginx'
        ? ['-c', file, '-p', this.#folder, '-e', 'stderr']
        : ['run', '--adapter', 'caddyfile', '--config', file]
    this.#child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: this.#folder, XDG_DATA_HOME: this.#folder, XDG_CONFIG_HOME: this.#folder },
    })
    const keep = (data: Buffer): void => {
      this.#output = (this.#output + data.toString()).slice(-4_000)
    }
    this.#child.stdout?.on('data', keep)
    this.#child.stderr?.on('data', keep)
  }

  /** Resolves when it listens. `host` is the port of the host behind it. */
  static async start(name: ProxyName, program: string, host: number): Promise<Proxy> {
    const proxy = new Proxy(name, program, { proxy: await freePort(), host })
    try {
      await proxy.#listens()
      return proxy
    } catch (error) {
      await proxy.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = new Promise((resolve) => this.#child.once('exit', resolve))
      // nginx ends its workers only if it is asked to.
      this.#child.kill('SIGTERM')
      const timer = systemClock.after(5_000, 'the proxy ends', () => this.#child.kill('SIGKILL'))
      await exited
      timer.clear()
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #listens(): Promise<void> {
    const end = systemClock.now() + PATIENCE
    while (!(await canConnect(this.port))) {
      if (systemClock.now() > end || this.#child.exitCode !== null)
        throw new Error(`the proxy does not listen\n${this.#output}`)
      await new Promise<void>((resolve) => void systemClock.after(50, 'next attempt', resolve))
    }
  }
}

export function versionOf(name: ProxyName, program: string): string {
  const { stdout, stderr } = spawnSync(program, [name === 'nginx' ? '-v' : 'version'], { encoding: 'utf8' })
  const text = `${stdout}${stderr}`.trim()
  return text.startsWith(name) ? text : `${name} ${text}`
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
