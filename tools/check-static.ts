import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The npm scripts to run. None of them uses all cores for long. */
const scripts = ['check:lint', 'check:types', 'check:package']

interface Result {
  readonly script: string
  readonly ok: boolean
  readonly output: string
}

/** Runs an npm script. Its output is kept, because several scripts print at once. */
async function run(script: string): Promise<Result> {
  // npm gives its own path to scripts. Windows would need a shell to run `npm`, which is a batch file there.
  const cli = process.env['npm_execpath']
  const [program, args] = cli === undefined ? ['npm', []] : [process.execPath, [cli]]
  return new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: Infinity }
    execFile(program, [...args, 'run', '--silent', script], options, (error, stdout, stderr) => {
      const unstarted = error !== null && typeof error.code === 'string' ? error.message : ''
      resolve({ script, ok: error === null, output: `${stdout}${stderr}${unstarted}`.trim() })
    })
  })
}

function print({ script, ok, output }: Result): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  npm run ${script}`)
  if (!ok) console.log(`${output}\n`)
}

await runCommand({
  name: 'npm run check:static --',
  summary: `Runs ${scripts.join(', ')} at the same time, and prints the output of those that fail. Build first.`,
  options: {},
  async run({ json }) {
    const results = await Promise.all(
      scripts.map(async (script) => {
        const result = await run(script)
        if (!json) print(result)
        return result
      }),
    )
    const ok = results.every((result) => result.ok)
    if (json) console.log(JSON.stringify({ ok, results }, undefined, 2))
    return ok ? exitCodes.ok : exitCodes.failed
  },
})
