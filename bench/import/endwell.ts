import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Measure } from '../bench.ts'
import { median } from '../median.ts'

const run = promisify(execFile)
const times = 15

export const measure: Measure = async () => {
  const endwell = await medianOf(new URL('../../src/index.js', import.meta.url).href)
  const host = await medianOf(new URL('../../src/host/index.js', import.meta.url).href)
  const ws = await medianOf(import.meta.resolve('ws'))
  return { endwell: endwell.took, cpu: endwell.cpu, memory: endwell.memory, host: host.took, ws: ws.took }
}

interface Cost {
  readonly took: number
  readonly cpu: number
  readonly memory: number
}

async function medianOf(module: string): Promise<Cost> {
  const costs: Cost[] = []
  for (let i = 0; i < times; i++) costs.push(await importApart(module))
  return {
    took: median(costs.map(({ took }) => took)),
    cpu: median(costs.map(({ cpu }) => cpu)),
    memory: median(costs.map(({ memory }) => memory)),
  }
}

/** Imports a module in a process of its own. */
async function importApart(module: string): Promise<Cost> {
  const program = `
    const began = process.cpuUsage()
    const at = performance.now()
    await import(${JSON.stringify(module)})
    const took = performance.now() - at
    const { user, system } = process.cpuUsage(began)
    console.log(JSON.stringify({ took, cpu: (user + system) / 1_000, memory: process.memoryUsage.rss() / 2 ** 20 }))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
  return JSON.parse(stdout) as Cost
}
