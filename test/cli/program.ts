import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { root } from '../house/tree.ts'

/** Runs it for one test, and not longer, however that ends. */
export function runProgram(...args: readonly string[]): Program {
  const program = new Program(...args)
  onTestFinished(() => program.signal('SIGKILL'))
  return program
}

/** The `endwell` command as a user runs it: the built program, in a process of its own. */
export class Program {
  readonly #child: ChildProcess
  readonly #looks = new Set<() => void>()
  out = ''
  errors = ''
  code: number | undefined

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', 'dist/cli/main.js', ...args], {
      cwd: root,
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_API_KEY$|^PORT$/.test(name))),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.out += text
      this.#changed()
    })
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
      this.#changed()
    })
    this.#child.once('close', (code, signal) => {
      this.code = code ?? (signal ? -1 : 0)
      this.#changed()
    })
  }

  /** What it says as JSON, a line each. */
  get lines(): Readonly<Record<string, unknown>>[] {
    const whole = this.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
    return whole.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }

  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#looks.delete(look)
        resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  /** Its address, as soon as it answers there. */
  async url(): Promise<string> {
    await this.until(() => this.lines.length > 0 || this.code !== undefined)
    return String(this.lines[0]?.['url'])
  }

  async ended(): Promise<number> {
    await this.until(() => this.code !== undefined)
    return this.code!
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  #changed(): void {
    for (const look of this.#looks) look()
  }
}
