import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { paths, read, root } from './tree.ts'

/** Only ends what hangs. An example takes a second on an idle machine. */
const exampleTimeout = 250_000

const examples = paths().filter((path) => /^examples\/[^/]+\.ts$/.test(path))
const providers = paths().filter((path) => /^examples\/providers\/[^/]+\.ts$/.test(path))

let folder = ''
/** The arguments for Node that run each example. */
const argsFor = new Map<string, readonly string[]>()

beforeAll(async () => {
  folder = mkdtempSync(join(inject('programs'), 'examples-'))
  // `endwell` resolves to the package that is installed beside the programs, through its `exports`.
  for (const path of [...examples, ...providers]) argsFor.set(path, await prepare(path))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function prepare(path: string): Promise<readonly string[]> {
  const source = read(path)
  // This example needs the files beside it: it runs with tsx, as its first lines say.
  if (source.includes('import.meta')) return ['--import', 'tsx', path]
  // With tsx, every example would spend more time on loading than on running.
  const { code } = await transformWithOxc(source, path, { sourcemap: false, target: 'node20' })
  return [write(`${path.replaceAll('/', '-')}.mjs`, code)]
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** Runs Node in the root of the repository, as a reader would. */
const run = async (args: readonly string[], timeout = exampleTimeout): Promise<string> =>
  new Promise((resolve) => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/_API_KEY$|_BASE_URL$/.test(name)),
    )
    execFile(process.execPath, args, { cwd: root, timeout, env }, (error, stdout, stderr) => {
      if (error === null) resolve('exit code 0')
      else if (error.killed === true) resolve(`still running after ${timeout} ms\n${stdout}${stderr}`)
      else resolve(`exit code ${error.code ?? error.signal}\n${stdout}${stderr}`)
    })
  })

describe('the run of an example', () => {
  it('returns how the program ended', async () => {
    const [fine, failed, hung] = await Promise.all([
      run([write('fine.mjs', `import { Scope } from 'endwell/scope'; await Promise.resolve(Scope)`)]),
      run([write('failed.mjs', `throw new Error('no such line')`)]),
      run([write('hung.mjs', 'setInterval(() => {}, 1_000)')], 1_000),
    ])
    expect(fine).toBe('exit code 0')
    expect(failed).toMatch(/^exit code 1\n[^]*no such line/)
    expect(hung).toMatch(/^still running after 1000 ms/)
  })
})

describe('every example exits with 0', () => {
  it.concurrent.each(examples)('%s', async (path) => {
    expect(await run(argsFor.get(path)!)).toBe('exit code 0')
  })
})

describe('the example of a provider', () => {
  it('exists for every provider, with the same name', () => {
    const folders = paths().flatMap((path) => /^src\/providers\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? [])
    expect(providers).toEqual(folders.map((name) => `examples/providers/${name}.ts`).toSorted())
  })

  it.concurrent.each(providers)('runs without a key, against a loopback server: %s', async (path) => {
    expect(await run([...argsFor.get(path)!, '--loopback'])).toBe('exit code 0')
  })

  it.concurrent.each(providers)('names the key that it needs: %s', async (path) => {
    const [, name] = /([A-Z_]+_API_KEY)/.exec(read(path)) ?? []
    if (name === undefined) return
    expect(await run(argsFor.get(path)!)).toMatch(new RegExp(`^exit code 1\n[^]*${name}`))
  })
})
