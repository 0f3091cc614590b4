import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The compiler of this repository, not one that the packages bring.
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

/** The packages of a folder that has its own package.json and lock file, because only one proof needs them. */
export class OwnPackages {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Installs the packages, unless they are already installed as in their lock file. Their install scripts do not run. */
  async install(): Promise<void> {
    const stamp = join(this.#folder, 'node_modules/.endwell-stamp')
    const wanted = createHash('sha256')
      .update(readFileSync(join(this.#folder, 'package-lock.json')))
      .digest('hex')
    if (textOf(stamp) === wanted) return
    console.error(`installing packages into ${this.#folder} …`)
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', args, this.#folder)
    writeFileSync(stamp, wanted)
  }

  /** Checks the programs in the folder against the types of the real packages. */
  async checkTypes(): Promise<void> {
    console.error(`checking types in ${this.#folder} …`)
    await run(process.execPath, [compiler, '-p', this.#folder], this.#folder)
  }

  versionOf(name: string): string {
    const text = textOf(join(this.#folder, 'node_modules', name, 'package.json')) ?? '{}'
    return (JSON.parse(text) as { version?: string }).version ?? 'not installed'
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Runs a program. Its output goes to stderr, because stdout is for results. */
function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && program === 'npm'
    const child = spawn(program, args, { cwd, shell, stdio: ['ignore', process.stderr, process.stderr] })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${[program, ...args].join(' ')} exited with ${code}`))
    })
  })
}
