import { execFileSync, fork } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Sample } from '../bench.ts'
import type { Order } from '../child.ts'

const modules = fileURLToPath(import.meta.url).split(/[/\\]\.cache[/\\]/)[0] ?? ''
const folder = join(
  modules.endsWith('node_modules') ? modules : join(process.cwd(), 'node_modules'),
  '.cache',
  'node-24',
)
const executable = join(
  folder,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/** Whether Node 24 is there to be measured. */
export const hasNode24 = (): boolean => existsSync(executable)

/** The figures of a contestant on Node 24, by their names with `24` behind; none where it already is, or cannot be had. */
export async function onNode24(contestant: string): Promise<Sample> {
  if (Number(process.versions.node.split('.')[0]) >= 24 || !fetched()) return {}
  const order: Order = { bench: 'guard', contestant, extras: [] }
  const sample = await new Promise<Sample>((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('../child.js', import.meta.url)), [JSON.stringify(order)], {
      execPath: executable,
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

function fetched(): boolean {
  if (hasNode24()) return true
  mkdirSync(folder, { recursive: true })
  try {
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', 'node@24']
    execFileSync('npm', args, { stdio: 'ignore', timeout: 120_000 })
  } catch {
    console.error('node@24 could not be fetched from npm: there are no figures for Node 24')
  }
  return hasNode24()
}
