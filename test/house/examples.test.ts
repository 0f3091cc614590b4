import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { paths, read, root } from './tree.ts'

const exampleTimeout = 30_000

/**
 * Runs an example as a reader would, from the root of the repository: `endwell` is then the package itself, through
 * its `exports`. So examples run what `npm run build` made, which `npm test` does before its tests.
 */
const run = async (
  path: string,
  { timeout = exampleTimeout, args = [] }: { timeout?: number; args?: readonly string[] } = {},
): Promise<string> =>
  new Promise((resolve) => {
    const whole = ['--import', 'tsx', path, ...args]
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY')))
    execFile(process.execPath, whole, { cwd: root, timeout, env }, (error, stdout, stderr) => {
      if (error === null) resolve('exit code 0')
      else if (error.killed === true) resolve(`still running after ${timeout} ms\n${stdout}${stderr}`)
      else resolve(`exit code ${error.code ?? error.signal}\n${stdout}${stderr}`)
    })
  })

describe('running an example', { timeout: 2 * exampleTimeout }, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'endwell-examples-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('tells how it ended', async () => {
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

describe('every example runs to its end', { timeout: 2 * exampleTimeout }, () => {
  it.concurrent.each(examples)('%s', async (path) => {
    expect(await run(path)).toBe('exit code 0')
  })
})

const providers = paths().filter((path) => /^examples\/providers\/[^/]+\.ts$/.test(path))

describe('every provider has an example', { timeout: 2 * exampleTimeout }, () => {
  it('by its name', () => {
    const folders = paths().flatMap((path) => /^src\/providers\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? [])
    expect(providers).toEqual(folders.map((name) => `examples/providers/${name}.ts`).toSorted())
  })

  it.concurrent.each(providers)('%s runs without a key, against a server of our own', async (path) => {
    expect(await run(path, { args: ['--loopback'] })).toBe('exit code 0')
  })

  it.concurrent.each(providers)('%s says what it needs', async (path) => {
    const [, name] = /([A-Z_]+_API_KEY)/.exec(read(path)) ?? []
    if (name === undefined) return
    expect(await run(path)).toMatch(new RegExp(`^exit code 1\n[^]*${name}`))
  })
})
