import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { compile, root } from '../compile.ts'

/**
 * Compiles the programs of a host from the sources into a new folder, from which Node finds `node_modules`. `more` are
 * further entries, or replacements, by the name of the file they become.
 */
export async function compilePrograms(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'endwell-crash-'))
  await compile({
    folder,
    flat: true,
    entries: {
      host: 'test/crash/host.ts',
      agent: 'test/crash/agent.ts',
      'blocking-agent': 'test/crash/blocking-agent.ts',
      'fault-points': 'test/crash/fault-points.ts',
      'call-worker': 'src/host/start/call-worker.ts',
      'work-worker': 'src/host/start/work-worker.ts',
      'watchdog-thread': 'src/host/supervisor/watchdog-thread.ts',
      ...more,
    },
  })
  return folder
}
