import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { paths, read, root } from './tree.ts'

/** Only ends what hangs. An example takes a second on an idle machine. */
const exampleTimeout = 250_000

/**
 * Runs an example in the root of the repository, as a reader would. There, `endwell` resolves to the package itself, through
 * its `exports`: examples use the last build. `npm test` builds before it runs tests.
 */
const run = async (
  path: string,
  { timeout = exampleTimeout, args = [] }: { timeout?: number; args?: readonly string[] } = {},
): Promise<string> =>
  new Promise((resolve) => {
    const node = ['--import', 'tsx', path, ...args]
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/_API_KEY$|_BASE_URL$/.test(name)),
    )
    execFile(process.execPath, node, { cwd: root, timeout, env }, (error, stdout, stderr) => {
      if (error === null) resolve('exit code 0')
      else if (error.killed === true) resolve(`still running after ${timeout} ms\n${stdout}${stderr}`)
      else resolve(`exit code ${error.code ?? error.signal}\n${stdout}${stderr}`)
    })
  })

describe('the run of an example', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'endwell-examples-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('returns how the program ended', async () => {
    const [fine, failed, hung] = await Promise.all([
      run(write('fine.mts', 'const a: number = 1; await Promise.resolve(a)')),
      run(write('failed.mts', `throw new Error('no such line')`)),
      run(write('hung.mts', 'setInterval(() => {}, 1_000)'), { timeout: 1_000 }),
    ])
    expect(fine).toBe('exit code 0')
    expect(failed).toMatch(/^exit code 1\n[^]*no such line/)
    expect(hung).toMatch(/^still running after 1000 ms/)
  })
})

const examples = paths().filter((path) => /^examples\/[^/]+\.ts$/.test(path))

describe('every example exits with 0', () => {
  it.concurrent.each(examples)('%s', async (path) => {
    expect(await run(path)).toBe('exit code 0')
  })
})

const providers = paths().filter((path) => /^examples\/providers\/[^/]+\.ts$/.test(path))

describe('the example of a provider', () => {
  it('exists for every provider, with the same name', () => {
    const folders = paths().flatMap((path) => /^src\/providers\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? [])
    expect(providers).toEqual(folders.map((name) => `examples/providers/${name}.ts`).toSorted())
  })

  it.concurrent.each(providers)('runs without a key, against a loopback server: %s', async (path) => {
    expect(await run(path, { args: ['--loopback'] })).toBe('exit code 0')
  })

  it.concurrent.each(providers)('names the key that it needs: %s', async (path) => {
    const [, name] = /([A-Z_]+_API_KEY)/.exec(read(path)) ?? []
    if (name === undefined) return
    expect(await run(path)).toMatch(new RegExp(`^exit code 1\n[^]*${name}`))
  })
})
