import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadProblem } from './load-problem.ts'

const words = resolve('words.ts')
const url = pathToFileURL(words).href

const failure = (message: string, stack: string): Error => Object.assign(new Error(message), { stack })

describe('the problem of a module that could not be loaded', () => {
  it.each([
    [
      'an error of esbuild',
      failure(`Transform failed with 1 error:\n${words}:3:0: ERROR: Unexpected end of file`, ''),
      'Unexpected end of file (words.ts:3:1)',
    ],
    [
      'a mistake that is noticed when the module runs',
      failure(
        'desk is not defined',
        `ReferenceError: desk is not defined\n    at ${url}:2:1\n    at ModuleJob.run (node:x:3:25)`,
      ),
      'desk is not defined (words.ts:2:1)',
    ],
    [
      'a call of a package',
      failure(
        'no such clock',
        `Error: no such clock\n    at open (${resolve('node_modules/clock/a.js')}:1:2)\n    at <anonymous> (${words}:7:9)`,
      ),
      'no such clock (words.ts:7:9)',
    ],
    [
      'a missing export, whose place is above the stack',
      failure(
        'no export named hours',
        `${url}:4\nimport { hours } from './b.ts'\n         ^^^^^\nSyntaxError: …\n    at node:x:1:2`,
      ),
      'no export named hours (words.ts:4)',
    ],
    ['something that is no error', 'just a text', 'just a text'],
  ])('[RL2] has the place of %s', async (_, error, problem) => {
    expect(await loadProblem(words, error)).toBe(problem)
  })

  it('[RL2] has the place of a syntax error in a JavaScript module, which Node does not say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-problem-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'agent.js'), `import './words.js'`)
    writeFileSync(join(folder, 'words.js'), 'const a = 1\nexport const words = ]\n')
    const error = Object.assign(new SyntaxError(`Unexpected token ']'`), { stack: '' })
    expect(await loadProblem(join(folder, 'agent.js'), error)).toBe(
      `Unexpected token ']' (${join(folder, 'words.js')}:2)`,
    )
  })
})
