import { execFile, fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { VendorName } from './cost-subject.ts'

const run = promisify(execFile)
const pathOf = (program: string): string => fileURLToPath(new URL(program, import.meta.url))

/** Imports modules in a process of its own: the fastest of three. */
export async function importCosts(modules: readonly string[]): Promise<Record<ImportFigure, number>> {
  const program = `
    const began = process.cpuUsage()
    const at = performance.now()
    for (const module of ${JSON.stringify(modules)}) await import(module)
    const importWall = performance.now() - at
    const { user, system } = process.cpuUsage(began)
    const importMemory = process.memoryUsage.rss() / 2 ** 20
    console.log(JSON.stringify({ importWall, importCpu: (user + system) / 1_000, importMemory }))`
  const costs: Record<ImportFigure, number>[] = []
  for (let n = 0; n < 3; n++) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
    costs.push(JSON.parse(stdout) as Record<ImportFigure, number>)
  }
  const of = (figure: ImportFigure): number => Math.min(...costs.map((cost) => cost[figure]))
  return { importWall: of('importWall'), importCpu: of('importCpu'), importMemory: of('importMemory') }
}

type ImportFigure = 'importWall' | 'importCpu' | 'importMemory'

/**
 * Runs one call in a process of its own. Resolves once the call has closed, with the milliseconds from the start of the process to
 * the session, and a promise of those from the end of the close to the exit.
 */
export async function runOnce(
  module: string,
  url: string,
): Promise<{ ready: number; exit: Promise<number> }> {
  const child = spawn(process.execPath, [pathOf('run-once.js'), module, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit').then(() => Date.now())
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  const { ready, closedAt } = JSON.parse(output.toString()) as { ready: number; closedAt: number }
  return { ready, exit: exited.then((at) => at - closedAt) }
}

/** The server of a vendor in a process of its own, so that it is no part of a contestant's heap or event loop. */
export class VendorProcess {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(name: VendorName): Promise<VendorProcess> {
    const child = fork(pathOf('vendor-process.js'), [name], { execArgv: [] })
    const [url] = (await once(child, 'message')) as [string]
    return new VendorProcess(url, child)
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }
}
