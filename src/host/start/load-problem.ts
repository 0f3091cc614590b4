import { execFile } from 'node:child_process'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectFiles } from './missing-imports.ts'

/** Milliseconds for Node to check the syntax of one file. */
const CHECK_TIMEOUT = 5_000

/** Why a module could not be loaded, in one line, with the place in the project if it can be found: `… (words.ts:3:1)`. */
export async function loadProblem(path: string, error: unknown): Promise<string> {
  const { name, message = String(error), stack = '' } = error as Partial<Error>
  const transformed = /^(?<file>.+):(?<line>\d+):(?<column>\d+): ERROR: (?<why>.+)$/m.exec(message)?.groups
  // esbuild counts columns from 0.
  if (transformed)
    return `${transformed['why']} (${shown(transformed['file']!)}:${transformed['line']}:${Number(transformed['column']) + 1})`
  const place = placeIn(stack) ?? (name === 'SyntaxError' ? await syntaxErrorIn(path) : undefined)
  return place === undefined ? message : `${message} (${place})`
}

/** The first place in a stack that belongs to the project. Node writes that of a missing export above the stack. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, file, at] =
      /^(?:\s+at (?:.*\()?)?((?:file:\/\/)?\/.+?|[A-Z]:\\.+?)((?::\d+)+)\)?$/.exec(line) ?? []
    if (file === undefined) continue
    const path = file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file
    // In a stack, endwell comes after the project, and packages may come before it.
    if (!path.includes(`${sep}node_modules${sep}`)) return `${shown(path)}${at}`
  }
  return undefined
}

/** Node does not say where the error of a JavaScript module is, unless it checks the file alone. */
async function syntaxErrorIn(path: string): Promise<string | undefined> {
  for (const file of projectFiles(path)) {
    if (!/\.m?js$/.test(file)) continue
    const errors = await new Promise<string>((resolve) => {
      execFile(process.execPath, ['--check', file], { timeout: CHECK_TIMEOUT }, (_, __, stderr) =>
        resolve(stderr),
      )
    })
    const [, line] = /^.*:(\d+)$/m.exec(errors) ?? []
    if (line !== undefined) return `${shown(file)}:${line}`
  }
  return undefined
}

function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}
