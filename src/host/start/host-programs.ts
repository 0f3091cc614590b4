import { fileURLToPath } from 'node:url'
import type { SupervisorListener } from '../supervisor/supervisor-options.ts'
import type { WorkerProgram } from '../supervisor/worker-process.ts'

const entry = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url))

/** What the processes of a host run. */
export interface HostPrograms {
  readonly calls: Pick<WorkerProgram, 'entry' | 'args' | 'env' | 'execArgv'>
  /** Without it, after-call work is only written down. */
  readonly work?: Pick<WorkerProgram, 'entry'>
  /** Answers what workers ask for and the host does not know. Undefined if it does not know it either. */
  readonly answer?: (worker: string, request: unknown) => unknown
  readonly listener?: Pick<SupervisorListener, 'started' | 'ready' | 'exited' | 'notLoaded'>
}

/** Those of `endwell start`. */
export const startPrograms: HostPrograms = {
  calls: { entry: entry('call-worker') },
  work: { entry: entry('work-worker') },
}
