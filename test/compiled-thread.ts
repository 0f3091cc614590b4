import { Worker } from 'node:worker_threads'
import type { ThreadFile } from '../src/providers/local/thread-file.ts'
import { compiled } from './compiled.ts'

/** Stands in for `src/providers/local/thread-file.ts`: the threads run compiled, as they do in the package. */
export function threadOf(file: ThreadFile, data: unknown): Worker {
  return new Worker(compiled(file), { workerData: data, execArgv: [] })
}
