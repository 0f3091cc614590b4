import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { compile, root } from './compile.ts'
import { installPackage } from './install-package.ts'
import { oncePerRun } from './once-per-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the compiled programs. */
    readonly programs: string
  }
}

const programs = {
  'espeak-thread': 'src/providers/local/espeak-thread.ts',
  'flite-thread': 'src/providers/local/flite-thread.ts',
  'recogniser-thread': 'src/providers/local/recogniser-thread.ts',
  'silero-thread': 'src/providers/local/silero-thread.ts',
  'smart-turn-thread': 'src/providers/local/smart-turn-thread.ts',
  'webrtc-thread': 'src/lines/webrtc/webrtc-thread.ts',
  'fake-host': 'test/host/supervisor/fake-host.ts',
  'guard-processes': 'test/guard/process-scenarios.ts',
  'journal-writer': 'test/host/journal/writer.ts',
  'mcp-alone': 'test/providers/mcp/alone.ts',
  'run-examples': 'test/house/run-examples.ts',
  sim: 'test/sim/run.ts',
}

// Loading TypeScript with tsx takes as long as the rest of the start. `npm start` as a user types it is tested once.
const agents = {
  'clinic-agent': 'examples/clinic/agent.ts',
  'clock-agent': 'examples/clock.ts',
  'phone-example': 'examples/phone/server.ts',
  'readme-session': 'examples/browser/session.ts',
  'broken-agent': 'test/fixtures/agents/broken.ts',
  'deadly-agent': 'test/hunt/deadly-agent.js',
  'desk-agent': 'test/fixtures/agents/desk.ts',
  'fixed-agent': 'examples/hunt/fixed.ts',
  'holding-agent': 'test/fixtures/agents/holding.ts',
  'recorded-agent': 'test/fixtures/agents/recorded.ts',
}

// Loading the SDK file by file takes longer than anything else in the server.
const mcpServer = { 'mcp-server': 'test/providers/mcp/server.ts' }

// Compiled alone, so that the worker finds the file of its thread beside its own.
const worker = { 'fake-worker': 'test/host/supervisor/fake-worker.ts' }
const watchdog = { 'watchdog-thread': 'src/host/supervisor/watchdog-thread.ts' }

export type Program =
  | keyof typeof programs
  | keyof typeof agents
  | keyof typeof mcpServer
  | keyof typeof worker
  | keyof typeof watchdog

/** Compiles the programs once per run of the tests, into a folder from which Node finds `node_modules`. */
export default oncePerRun(async ({ provide }) => {
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'endwell-programs-'))
  await compile({ entries: programs, folder })
  await installPackage(folder)
  await compile({ entries: agents, folder, endwell: 'installed' })
  await compile({ entries: mcpServer, folder, bundle: [/^@modelcontextprotocol\/sdk/, /^zod/] })
  await compile({ entries: worker, folder })
  await compile({ entries: watchdog, folder })
  provide('programs', folder)
  return () => rm(folder, { recursive: true, force: true })
})
