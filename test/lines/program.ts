import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a program has printed, line by line. */
export class Program {
  readonly #child: ChildProcess
  #printed = ''
  readonly #looks = new Set<() => void>()

  /** Runs an example as a reader would: `endwell` is the package itself, as `npm run build` made it. */
  constructor(path: string, env: Record<string, string>) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', path], {
      cwd: root,
      env: { ...process.env, ...env },
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (data) => {
        this.#printed += String(data)
        for (const look of this.#looks) look()
      })
    this.#child.on('exit', () => {
      for (const look of this.#looks) look()
    })
  }

  /** The first thing printed that fits; throws if the program ends before. */
  prints(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const [found] = pattern.exec(this.#printed) ?? []
        if (found === undefined && this.#child.exitCode === null) return
        this.#looks.delete(look)
        if (found === undefined) reject(new Error(`it ended before:\n${this.#printed}`))
        else resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }

  /** Asks it to end, as somebody at a keyboard does. Resolves to its exit code. */
  ends(): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null) return resolve(this.#child.exitCode)
      this.#child.on('exit', (code) => resolve(code))
      return this.#child.kill('SIGINT')
    })
  }
}
