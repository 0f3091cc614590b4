import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
// The compiler of this repository, not the frameworks' own.
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
const stamp = `${folder}node_modules/.endwell-stamp`

/** Installs the frameworks, unless they are already installed as in their lock file. */
export async function install(say: (text: string) => void): Promise<void> {
  const wanted = createHash('sha256')
    .update(readFileSync(`${folder}package-lock.json`))
    .digest('hex')
  if (textOf(stamp) === wanted) return
  say('installing the frameworks into bench/peers/node_modules (about 600 MB) …')
  // Their install scripts are not needed here.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', args, folder)
  writeFileSync(stamp, wanted)
}

/** Checks the cases against the types of the real packages. */
export async function checkTypes(say: (text: string) => void): Promise<void> {
  say('checking the cases against the types of the frameworks …')
  await run(process.execPath, [compiler, '-p', folder], folder)
}

export function versionOf(name: string): string {
  const text = textOf(`${folder}node_modules/${name}/package.json`) ?? '{}'
  return (JSON.parse(text) as { version?: string }).version ?? 'not installed'
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Runs a program. Its output goes to stderr, because stdout is for the table. */
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
