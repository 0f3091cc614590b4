import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { compiled } from '../compiled.ts'
import type { ExampleEnd } from './run-examples.ts'
import { paths, read, root } from './tree.ts'

/** Only ends what hangs. */
const exampleTimeout = 250_000

const examples = paths().filter((path) => /^examples\/[^/]+\.ts$/.test(path))
const providers = paths().filter((path) => /^examples\/providers\/[^/]+\.ts$/.test(path))

/** Examples that share no process with others, and the options of Node that they need. */
const alone: Readonly<Record<string, readonly string[]>> = {
  // It patches globals for good.
  'examples/hunt-in-a-test.ts': [],
  // It needs the files beside it, which are TypeScript as well. tsx takes more time to load than the other examples to run.
  'examples/providers/mcp.ts': ['--import', 'tsx'],
  // Optimizing the code of its model would take three times as long as running it.
  'examples/silero-vad.ts': ['--liftoff-only'],
}

let folder = ''
/** How the examples ended, by path: on their own, with `--loopback`, and without a key. */
const ended = {
  plain: new Map<string, string>(),
  loopback: new Map<string, string>(),
  keyless: new Map<string, string>(),
}

beforeAll(async () => {
  folder = mkdtempSync(join(inject('programs'), 'examples-'))
  const keyed = providers.filter((path) => keyOf(path) !== undefined)
  await Promise.all([
    runAll(examples, [], ended.plain),
    runAll(providers, ['--loopback'], ended.loopback).then(() => runAll(keyed, [], ended.keyless)),
  ])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keyOf = (path: string): string | undefined => /([A-Z_]+_API_KEY)/.exec(read(path))?.[1]

/** Runs examples in the root of the repository, as a reader would, but most of them in one process. */
async function runAll(
  listed: readonly string[],
  args: readonly string[],
  into: Map<string, string>,
): Promise<void> {
  const together = listed.filter((path) => !(path in alone))
  const singles = listed.filter((path) => path in alone)
  for (const group of [together, ...singles.map((path) => [path])]) {
    const files = await Promise.all(group.map(prepare))
    const { ends, rest } = await run(files, { args, execArgv: alone[group[0] ?? ''] ?? [] })
    for (const [index, path] of group.entries())
      into.set(path, ends.find(({ file }) => file === files[index])?.how ?? rest)
    // Whatever kept the process from exiting well was not noticed before the last example.
    if (!rest.startsWith('exit code 0\n')) into.set(group.at(-1)!, rest)
  }
}

/** The file that Node runs in the place of an example. */
async function prepare(path: string): Promise<string> {
  if (alone[path]?.includes('tsx')) return join(root, path)
  // `endwell` resolves to the package that is installed beside the programs, through its `exports`.
  const { code } = await transformWithOxc(read(path), path, { sourcemap: false, target: 'node20' })
  return write(`${path.replaceAll('/', '-')}.mjs`, code)
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

interface RunOptions {
  readonly args?: readonly string[]
  readonly execArgv?: readonly string[]
  readonly timeout?: number
}

/** Runs files in one process. Returns how each ended, and how the process ended, for files that it did not finish. */
async function run(
  files: readonly string[],
  { args = [], execArgv = [], timeout = exampleTimeout }: RunOptions = {},
): Promise<{ readonly ends: readonly ExampleEnd[]; readonly rest: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/_API_KEY$|_BASE_URL$/.test(name)),
  )
  const child = fork(compiled('run-examples'), [JSON.stringify(args), ...files], {
    cwd: root,
    env,
    execArgv: [...execArgv],
    timeout,
    silent: true,
  })
  const ends: ExampleEnd[] = []
  let output = ''
  child.on('message', (end) => void ends.push(end as ExampleEnd))
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const how = await new Promise<string>((resolve) => {
    child.once('close', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `still running, ended by ${signal}`),
    )
  })
  return { ends, rest: `${how}\n${output}` }
}

describe('the run of examples', () => {
  it('returns how each of them ended', async () => {
    const [fine, failed, coded, holding] = [
      write('fine.mjs', `import { Scope } from 'endwell/scope'; await Promise.resolve(Scope)`),
      write('failed.mjs', `throw new Error('no such line')`),
      write('coded.mjs', 'console.error("three"); process.exitCode = 3'),
      write(
        'holding.mjs',
        'const timer = setInterval(() => {}, 1_000); setTimeout(() => clearInterval(timer), 1_500)',
      ),
    ]
    const { ends, rest } = await run([fine, failed, coded, holding])
    expect(ends).toEqual([
      { file: fine, how: 'exit code 0' },
      { file: failed, how: expect.stringMatching(/^exit code 1\n[^]*no such line/) },
      { file: coded, how: 'exit code 3\nthree\n' },
      { file: holding, how: expect.stringMatching(/^still running: .*timer/) },
    ])
    expect(rest).toMatch(/^exit code 0\n/)
  })

  it('returns how the process ended, if an example ends or blocks it', async () => {
    const [crashed, hung] = await Promise.all([
      run([write('crashed.mjs', `setTimeout(() => { throw new Error('late') }, 1)`)]),
      run([write('hung.mjs', 'await new Promise((resolve) => setTimeout(resolve, 1e6))')], {
        timeout: 1_000,
      }),
    ])
    expect(crashed).toEqual({ ends: [], rest: expect.stringMatching(/^exit code 1\n[^]*late/) })
    expect(hung).toEqual({ ends: [], rest: expect.stringMatching(/^still running, ended by SIGTERM\n/) })
  })
})

describe('every example exits with 0', () => {
  it.each(examples)('%s', (path) => {
    expect(ended.plain.get(path)).toBe('exit code 0')
  })
})

describe('the example of a provider', () => {
  it('exists for every provider, with the same name', () => {
    const folders = paths().flatMap((path) => /^src\/providers\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? [])
    expect(providers).toEqual(folders.map((name) => `examples/providers/${name}.ts`).toSorted())
  })

  it.each(providers)('runs without a key, against a loopback server: %s', (path) => {
    expect(ended.loopback.get(path)).toBe('exit code 0')
  })

  it.each(providers)('names the key that it needs: %s', (path) => {
    const key = keyOf(path)
    if (key !== undefined) expect(ended.keyless.get(path)).toMatch(new RegExp(`^exit code 1\n[^]*${key}`))
  })
})
