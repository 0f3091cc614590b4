import { Worker } from 'node:worker_threads'
import type { Program } from './compile-programs.ts'
import { compiled } from './compiled.ts'

/** The threads that run. */
export const runningThreads = new Map<Worker, Program>()

/** Programs to run instead of those of a file: CommonJS. */
export const substitutes = new Map<Program, string>()

/** Stands in for `src/providers/start-thread.ts`: the threads run compiled, as they do in the package. */
export function startThread(_caller: string, file: Program, data: unknown): Worker {
  const substitute = substitutes.get(file)
  const worker = new Worker(substitute ?? compiled(file), {
    workerData: data,
    execArgv: [],
    eval: substitute !== undefined,
  })
  runningThreads.set(worker, file)
  worker.on('exit', () => runningThreads.delete(worker))
  return worker
}
