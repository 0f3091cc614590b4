import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A real coturn on this machine, with a secret for credentials that expire. */
export class Coturn implements AsyncDisposable {
  readonly secret = 'north'
  readonly url: string
  readonly #child: ChildProcess
  readonly #folder: string
  #log = ''

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child
    this.#folder = folder
    this.url = url
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => {
        this.#log += String(data)
      })
  }

  /** Its version, or undefined if it is not installed. */
  static version(): string | undefined {
    const { status, stdout } = spawnSync('turnserver', ['--version'], { encoding: 'utf8' })
    return status === 0 || stdout ? (stdout.trim().split('\n').at(-1) ?? '') : undefined
  }

  static async start(): Promise<Coturn> {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-turn-'))
    const port = await freePort()
    const options = {
      'listening-ip': '127.0.0.1',
      'relay-ip': '127.0.0.1',
      'listening-port': String(port),
      'static-auth-secret': 'north',
      realm: 'endwell',
      'log-file': 'stdout',
      pidfile: join(folder, 'pid'),
      userdb: join(folder, 'db'),
    }
    const flags = ['use-auth-secret', 'allow-loopback-peers', 'no-cli', 'no-tls', 'no-dtls', 'verbose']
    const args = [
      '-n',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      ...flags.map((flag) => `--${flag}`),
    ]
    const child = spawn('turnserver', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const coturn = new Coturn(child, folder, `turn:127.0.0.1:${port}?transport=udp`)
    await coturn.#logs(/UDP listener opened|listener opened on/i)
    return coturn
  }

  /** How many relayed addresses it has given out. */
  get allocations(): number {
    return this.#log.match(/ALLOCATE processed, success/g)?.length ?? 0
  }

  /** How many requests had credentials that it does not take. */
  get refused(): number {
    return this.#log.match(/user <\d+:endwell>.*error 401/g)?.length ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #logs(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#log)) await once(this.#child.stdout!, 'data')
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(() => resolve()))
  return port
}
