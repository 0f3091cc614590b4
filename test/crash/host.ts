// A host as `endwell start` runs it. The environment has its options; the parent gets `up` with its address.

import { jsonLog, serve, type ServeOptions } from '../../src/host/index.ts'

export interface HostProgram {
  readonly agentFile: string
  readonly options: ServeOptions
}

export interface UpMessage {
  readonly type: 'up'
  readonly url: string
  readonly id: string
}

const { agentFile, options } = JSON.parse(process.env['CRASH_HOST'] ?? '{}') as HostProgram
const logger = jsonLog({ level: 'info', write: (line) => process.stdout.write(`${line}\n`) })
// Nothing outlives the harness.
process.on('disconnect', () => process.exit(9))
const host = await serve(agentFile, { ...options, logger }).catch((error: unknown) => {
  // The database may be away. The harness starts the host again.
  logger.error({ error }, 'the host could not start')
  process.exit(7)
})
process.on('SIGTERM', () => host.signal())
process.send?.({ type: 'up', url: host.url, id: host.id } satisfies UpMessage)
const code = await host.ended
logger.info({ code }, 'the host has ended')
process.exit(code)
