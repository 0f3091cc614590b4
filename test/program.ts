import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Changes } from '../src/testing/servers/changes.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Ends the program when its parent is killed, so that no test process is left behind. Its own children inherit this. */
const endsWithParent = `data:text/javascript,${encodeURIComponent(`
  if (process.ppid === ${process.pid}) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel?.unref()
  }`)}`

export interface ProgramOptions {
  /** Added to the environment of this process, without its API keys, accounts and ports. */
  readonly env?: Readonly<Record<string, string>>
  /** The working directory. Default: the root of the repository. */
  readonly cwd?: string
}

/** A program as a user runs it: built, in its own process. */
export class Program {
  readonly #child: ChildProcess
  readonly #changes = new Changes()
  out = ''
  errors = ''
  code: number | undefined

  /** `args` are the arguments of `node`. */
  constructor(args: readonly string[], { env = {}, cwd = root }: ProgramOptions = {}) {
    this.#child = spawn(process.execPath, ['--import', endsWithParent, ...args], {
      cwd,
      env: { ...withoutAccounts(process.env), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.out += text
      this.#changes.notify()
    })
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
      this.#changes.notify()
    })
    this.#child.once('close', (code, signal) => {
      this.code = code ?? (signal ? -1 : 0)
      this.#changes.notify()
    })
  }

  /** Runs the `endwell` command of a package. Default: the one that was built last. */
  static command(args: readonly string[], options?: ProgramOptions, endwell = root): Program {
    return new Program([join(endwell, 'dist/cli/main.js'), ...args], options)
  }

  /** The lines of its output that are JSON objects. */
  get lines(): Readonly<Record<string, unknown>>[] {
    return jsonLines(this.out)
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** Resolves to the first output that matches. Rejects if the program ends before. */
  async prints(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => pattern.exec(this.out)?.[0]
    await this.until(() => find() !== undefined || this.code !== undefined)
    const found = find()
    if (found === undefined)
      throw new Error(
        `the program ended with ${this.code} before it printed ${pattern}:\n${this.out}${this.errors}`,
      )
    return found
  }

  /** Resolves to its address once it is listening. */
  async url(): Promise<string> {
    const line = await this.prints(/^\{.*"url".*\}$/m)
    return (JSON.parse(line) as { url: string }).url
  }

  async ended(): Promise<number> {
    await this.until(() => this.code !== undefined)
    return this.code!
  }

  /** Closes the reading end of its output. */
  closeOutput(): void {
    this.#child.stdout!.destroy()
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

/** The lines of a text that are JSON objects. */
export function jsonLines(text: string): Readonly<Record<string, unknown>>[] {
  const whole = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return whole.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}

export function withoutAccounts(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const accounts = /_API_KEY$|_BASE_URL$|^TWILIO_|^PUBLIC_URL$|^ENDWELL_|^DATABASE_URL$|^PORT$/
  return Object.fromEntries(Object.entries(env).filter(([name]) => !accounts.test(name)))
}
