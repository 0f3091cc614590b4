import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { paths, root } from './tree.ts'

const exampleTimeout = 30_000

/**
 * Runs an example as a reader would, from the root of the repository: `endwell` is then the package itself, through
 * its `exports`. So examples run what `npm run build` made, which `npm test` does before its tests.
 */
const run = async (path: string, timeout = exampleTimeout): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', path], { cwd: root, timeout }, (error, stdout, stderr) => {
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
      run(write('hung.mts', 'setInterval(() => {}, 1_000)'), 1_000),
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
