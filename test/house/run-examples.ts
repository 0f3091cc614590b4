// A program that runs examples one after the other: loading endwell anew takes each of them longer than its own work.
// Its arguments are a JSON list of the examples' arguments, and the files. Sends how each example ended to its parent.

import { pathToFileURL } from 'node:url'
import { heldOpen, holders } from '../../src/cli/held-open.ts'

/** How an example ended. */
export interface ExampleEnd {
  readonly file: string
  /** `exit code 0`, or what went wrong. */
  readonly how: string
}

const [, , given = '[]', ...files] = process.argv
const args = JSON.parse(given) as string[]

/** What was printed to stderr since the last example began. */
let errors = ''
const write = process.stderr.write.bind(process.stderr)
process.stderr.write = (piece: string | Uint8Array, ...rest: []) => {
  errors += String(piece)
  return write(piece, ...rest)
}

/** Read in a function: the compiler does not know that an example has set it. */
const exitCode = (): number => Number(process.exitCode ?? 0)

async function run(file: string): Promise<string> {
  const before = holders()
  process.argv = [process.execPath, file, ...args]
  process.exitCode = undefined
  errors = ''
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    return `exit code 1\n${error instanceof Error ? error.stack : String(error)}`
  }
  const held = await heldOpen(before)
  if (held.length > 0) return `still running: ${held.join(', ')} is open`
  const code = exitCode()
  return code === 0 ? 'exit code 0' : `exit code ${code}\n${errors}`
}

for (const file of files) process.send!({ file, how: await run(file) } satisfies ExampleEnd)
process.exitCode = 0
