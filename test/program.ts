import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Changes } from '../src/testing/servers/changes.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Whoever started it may be killed at any moment; a program that nobody waits for any more ends, as it would by itself. */
const endsWithParent = `data:text/javascript,${encodeURIComponent(`
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel?.unref()`)}`

export interface ProgramOptions {
  /** Added to the environment of this process, which has its keys, accounts and ports taken out. */
  readonly env?: Readonly<Record<string, string>>
}

/** A program as a user runs it: built, in a process of its own, from the root of the repository. */
export class Program {
  readonly #child: ChildProcess
  readonly #changes = new Changes()
  out = ''
  errors = ''
  code: number | undefined

  /** The arguments of `node`. */
  constructor(args: readonly string[], { env = {} }: ProgramOptions = {}) {
    this.#child = spawn(process.execPath, ['--import', endsWithParent, ...args], {
      cwd: root,
      env: { ...nobodys(process.env), ...env },
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

  /** The `endwell` command. */
  static command(args: readonly string[], options?: ProgramOptions): Program {
    return new Program(['dist/cli/main.js', ...args], options)
  }

  /** What it says as JSON, a line each. */
  get lines(): Readonly<Record<string, unknown>>[] {
    const whole = this.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
    return whole.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** The first thing printed that fits; throws if the program ends before. */
  async prints(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => pattern.exec(this.out)?.[0]
    await this.until(() => find() !== undefined || this.code !== undefined)
    const found = find()
    if (found === undefined) throw new Error(`it ended with ${this.code} before:\n${this.out}${this.errors}`)
    return found
  }

  /** Its address, as soon as it answers there. */
  async url(): Promise<string> {
    const line = await this.prints(/^\{.*"url".*\}$/m)
    return (JSON.parse(line) as { url: string }).url
  }

  async ended(): Promise<number> {
    await this.until(() => this.code !== undefined)
    return this.code!
  }

  /** From now on nobody reads what it says. */
  deafen(): void {
    this.#child.stdout!.destroy()
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

function nobodys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /_API_KEY$|_BASE_URL$|^TWILIO_|^PUBLIC_URL$|^ENDWELL_SECRET$|^PORT$/
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)))
}
