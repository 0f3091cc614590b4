import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { nodeFromNpm } from '../../tools/node-from-npm.ts'
import type { Sample } from '../bench.ts'
import type { Order } from '../child.ts'

// A bench runs compiled, below `node_modules/.cache`.
const [modules = ''] = fileURLToPath(import.meta.url).split(/[/\\]\.cache[/\\]/)
let executable: string | undefined

/** Whether npm has Node 24 for this machine. */
export function hasNode24(): boolean {
  executable ??= nodeFromNpm(
    '24',
    modules.endsWith('node_modules') ? modules : join(process.cwd(), 'node_modules'),
  )
  return executable !== undefined
}

/** The figures of a contestant on Node 24, named with a trailing `24`. Empty on Node 24 and later, or without npm. */
export async function onNode24(contestant: string): Promise<Sample> {
  if (Number(process.versions.node.split('.')[0]) >= 24 || !hasNode24()) return {}
  const order: Order = { bench: 'guard', contestant, extras: [] }
  const sample = await new Promise<Sample>((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('../child.js', import.meta.url)), [JSON.stringify(order)], {
      execPath: executable!,
      execArgv: ['--expose-gc'],
    })
    child.on('message', (message) => resolve(message as Sample))
    child.on('error', reject)
    child.on('exit', (code) =>
      reject(new Error(`${contestant} on Node 24 ended with ${code}, without a sample`)),
    )
  })
  return Object.fromEntries(Object.entries(sample).map(([figure, value]) => [`${figure}24`, value]))
}
