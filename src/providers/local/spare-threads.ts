import type { Worker } from 'node:worker_threads'
import { noop } from '../../scope/index.ts'
import type { ThreadFile } from './thread-file.ts'

interface Spare {
  /** The data that the thread was set up with, as JSON. */
  readonly setUp: string
  readonly worker: Worker
}

/** One of each file at most, because a spare recogniser takes 60 MB. */
const spares = new Map<ThreadFile, Spare>()

/**
 * Keeps an idle thread for the next call with the same set-up, which then does not wait until a model is loaded. A spare
 * thread does not keep the process alive.
 */
export function keepThread(file: ThreadFile, data: unknown, worker: Worker): void {
  spares.get(file)?.worker.terminate().catch(noop)
  removeListeners(worker)
  worker.on('error', noop)
  worker.on('exit', () => {
    if (spares.get(file)?.worker === worker) spares.delete(file)
  })
  worker.unref()
  spares.set(file, { setUp: JSON.stringify(data), worker })
}

/** Takes the spare thread of this file, if it was set up with the same data. */
export function takeThread(file: ThreadFile, data: unknown): Worker | undefined {
  const spare = spares.get(file)
  if (spare?.setUp !== JSON.stringify(data)) return undefined
  spares.delete(file)
  removeListeners(spare.worker)
  spare.worker.ref()
  return spare.worker
}

/** Not all of them: a worker has listeners of its own, without which its messages do not arrive. */
function removeListeners(worker: Worker): void {
  for (const name of ['message', 'messageerror', 'error', 'exit']) worker.removeAllListeners(name)
}
