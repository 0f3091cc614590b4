import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The npm scripts to run. None of them uses all cores for long. */
const scripts = ['check:format', 'check:lint', 'check:types', 'check:package']

interface Result {
  readonly script: string
  readonly ok: boolean
  readonly output: string
}

/** The program and the arguments that run an npm script. */
function commandFor(script: string): readonly [program: string, args: readonly string[]] {
  // npm gives its own path to scripts. Windows would need a shell to run `npm`, which is a batch file there.
  const cli = process.env['npm_execpath']
  const given = ['run', '--silent', script]
  return cli === undefined ? ['npm', given] : [process.execPath, [cli, ...given]]
}

/** The compiler and the lint are Go programs that live for seconds: they collect garbage only if they would need much memory. */
const env = { GOGC: 'off', GOMEMLIMIT: '2GiB', ...process.env }

/** Runs an npm script. Its output is kept, because several scripts print at once. */
async function run(script: string): Promise<Result> {
  const [program, args] = commandFor(script)
  return new Promise((resolve) => {
    const options = { cwd: root, env, maxBuffer: Infinity }
    execFile(program, args, options, (error, stdout, stderr) => {
      const unstarted = error !== null && typeof error.code === 'string' ? error.message : ''
      resolve({ script, ok: error === null, output: `${stdout}${stderr}${unstarted}`.trim() })
    })
  })
}

/** Runs the tests, which print as they go. They wait for sockets and browsers, so the other checks take little of their time. */
function runTests(): Promise<boolean> {
  const [program, args] = commandFor('check:tests')
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
}

function print({ script, ok, output }: Result): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  npm run ${script}`)
  if (!ok) console.log(`${output}\n`)
}

await runCommand({
  name: 'npm run check:static --',
  summary: `Runs ${scripts.join(', ')} at the same time, and prints the output of those that fail. Build first.`,
  options: {
    tests: { type: 'boolean', about: 'run the tests at the same time' },
  },
  async run({ json, tests }) {
    const testing = tests ? runTests() : undefined
    const results = await Promise.all(
      scripts.map(async (script) => {
        const result = await run(script)
        if (!json) print(result)
        return result
      }),
    )
    const ok = results.every((result) => result.ok)
    if (json) console.log(JSON.stringify({ ok, results }, undefined, 2))
    const passed = (await testing) ?? true
    // Again, because the output of the tests is long.
    if (tests) for (const result of results.filter((each) => !each.ok)) print(result)
    return ok && passed ? exitCodes.ok : exitCodes.failed
  },
})
