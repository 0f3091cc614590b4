import { noop } from '../../scope/index.ts'
import { openJournal } from '../journal/index.ts'
import { ProductionHost, type Running } from './production-host.ts'
import { checkServeOptions, type ServeOptions } from './serve-options.ts'

/**
 * Serves an agent in production: its calls survive the processes that serve them. The agent file is loaded by workers, never
 * by this process.
 *
 * ```ts
 * const host = await serve('agent.js', { port: 8080, publicUrl: 'https://phone.example.com' })
 * process.on('SIGTERM', () => host.signal())
 * process.exitCode = await host.ended
 * ```
 */
export async function serve(agentFile: string, options: ServeOptions = {}): Promise<Running> {
  checkServeOptions(options)
  const { data = './endwell-data', databaseUrl } = options
  const journal = await openJournal(databaseUrl ?? data)
  try {
    return await ProductionHost.start(agentFile, options, journal)
  } catch (error) {
    await journal.close().catch(noop)
    throw error
  }
}
