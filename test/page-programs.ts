import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { blocksOf } from './house/markdown.ts'

const root = path.resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** A TypeScript block of a page. */
export interface PageProgram {
  readonly line: number
  readonly code: string
  /** The lines it prints, as the page says: in a block of text below it, or in comments after `console.log`. */
  readonly prints: readonly string[]
}

/** The programs of a page, whose path is relative to the repository. */
export function programsOf(page: string): PageProgram[] {
  const { blocks } = blocksOf(readFileSync(path.join(root, page), 'utf8'))
  return blocks.flatMap(({ language, text: code, line }, index) => {
    if (language !== 'ts') return []
    const next = blocks[index + 1]
    // No line before the block: it follows the program directly.
    const output = next?.language === 'text' && next.before === '' ? next.text.split('\n') : undefined
    const comments = Array.from(code.matchAll(/console\.log\(.*\) \/\/ (.*)/g), ([, text = '']) => text)
    return [{ line, code, prints: output ?? comments }]
  })
}

/** The source of an entry point of the package, as it is written in an import. */
export const room = (name: string): string =>
  JSON.stringify(pathToFileURL(path.join(root, 'src', name, 'index.ts')).href)

/** Runs the programs one after another in one process. Prints what each of them logged, as JSON. */
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

/** Runs modules, and resolves with the lines that each of them logged. */
export async function logsOf(modules: readonly string[]): Promise<string[][]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'endwell-page-'))
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name)
    writeFileSync(file, text)
    return file
  }
  try {
    const urls = modules.map((text, index) => pathToFileURL(write(`${index}.mts`, text)).href)
    const args = ['--import', 'tsx', write('runner.mjs', runner), ...urls]
    const { stdout } = await run(process.execPath, args, { cwd: root, timeout: 250_000 })
    return JSON.parse(stdout) as string[][]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
