import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../house/markdown.ts'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Program {
  readonly line: number
  readonly code: string
  /** The lines it prints, as the page says: in a block of text below it, or in comments behind `console.log`. */
  readonly prints: readonly string[]
}

/** The TypeScript blocks of a page. */
function programsOf(page: string): Program[] {
  const { blocks } = blocksOf(page)
  return blocks.flatMap(({ language, text: code, line }, index) => {
    if (language !== 'ts') return []
    const next = blocks[index + 1]
    // No line before the block: it follows the program directly.
    const output = next?.language === 'text' && next.before === '' ? next.text.split('\n') : undefined
    const comments = Array.from(code.matchAll(/console\.log\(.*\) \/\/ (.*)/g), ([, text = '']) => text)
    return [{ line, code, prints: output ?? comments }]
  })
}

const room = (name: string): string => JSON.stringify(pathToFileURL(path.join(root, 'src', name)).href)

/** The program as a module: with the imports that the page leaves out, and the source instead of the package. */
function moduleOf({ code }: Program): string {
  const imported = /import \{ Scope \}/.test(code) ? '' : 'Scope, '
  return [
    `import { ${imported}liveScopes, systemClock } from ${room('scope/index.ts')}`,
    `import { formatReport } from ${room('report/index.ts')}`,
    code
      .replace(`'endwell/testing'`, room('testing/index.ts'))
      .replace(`'endwell/scope'`, room('scope/index.ts')),
  ].join('\n')
}

/** Runs the programs one after the other in one process. Prints what each of them logged, as JSON. */
const runner = `
import { format } from 'node:util'
const logs = []
for (const program of process.argv.slice(2)) {
  const log = []
  console.log = (...args) => void log.push(...format(...args).split('\\n'))
  await import(program)
  logs.push(log)
}
process.stdout.write(JSON.stringify(logs))
`

describe('docs/scope.md', () => {
  const programs = programsOf(readFileSync(path.join(root, 'docs/scope.md'), 'utf8'))
  let folder = ''
  let logs: string[][] = []

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'endwell-page-'))
    const write = (name: string, text: string): string => {
      const file = path.join(folder, name)
      writeFileSync(file, text)
      return file
    }
    const files = programs.map((program) => write(`line-${program.line}.mts`, moduleOf(program)))
    const urls = files.map((file) => pathToFileURL(file).href)
    const args = ['--import', 'tsx', write('runner.mjs', runner), ...urls]
    const { stdout } = await run(process.execPath, args, { cwd: root, timeout: 250_000 })
    logs = JSON.parse(stdout) as string[][]
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('has programs, and all of them print something', () => {
    expect(programs.length).toBeGreaterThan(10)
    expect(programs.filter(({ prints }) => prints.length === 0)).toEqual([])
  })

  it.each(programs.map((program, index) => [program.line, program, index] as const))(
    'shows what the program in line %i prints',
    (_, { prints }, index) => {
      expect(logs[index]).toEqual(prints)
    },
  )
})
