import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Program } from '../program.ts'
import { PUBLIC_URL } from './visitor.ts'

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url))

/** A real `endwell start` on a free loopback port, with its data in a temporary folder. */
export class StartedHost {
  readonly program: Program
  readonly #folder = mkdtempSync(join(tmpdir(), 'endwell-proxied-'))

  private constructor(env: Readonly<Record<string, string>>) {
    this.program = Program.command(
      ['start', agent, '--port', '0', '--drain-timeout', '60s', '--public-url', PUBLIC_URL],
      { cwd: this.#folder, env },
    )
  }

  /** Resolves to a host that listens, and its port. */
  static async start(
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly host: StartedHost; readonly port: number }> {
    const host = new StartedHost(env)
    try {
      return { host, port: Number(new URL(await host.program.url()).port) }
    } catch (error) {
      await host.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.program.signal('SIGKILL')
    await this.program.ended()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
