import { Worker } from 'node:worker_threads'
import type { ThreadFile } from '../src/providers/local/start-thread.ts'
import { compiled } from './compiled.ts'

/** Stands in for `src/providers/local/start-thread.ts`: the threads run compiled, as they do in the package. */
export function startThread(file: ThreadFile, data: unknown): Worker {
  return new Worker(compiled(file), { workerData: data, execArgv: [] })
}
