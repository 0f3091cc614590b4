import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/** The files in this folder that run in a worker thread, without their extension. */
export type ThreadFile =
  | 'espeak-thread'
  | 'flite-thread'
  | 'recogniser-thread'
  | 'silero-thread'
  | 'smart-turn-thread'

/**
 * Starts a file in a worker thread. The file is JavaScript in the package, and TypeScript in the repository, where tsx
 * has to be registered first.
 */
export function startThread(file: ThreadFile, data: unknown): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const url = new URL(`./${file}.${extension}`, import.meta.url)
  // Without the process's own `execArgv`: loaders such as tsx would only slow the thread down.
  if (extension === 'js') return new Worker(url, { workerData: data, execArgv: [] })
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx'))
  const { href: api } = new URL('./esm/api/index.mjs', tsx)
  const code = `import('${api}').then(({ register }) => (register(), import('${url.href}')))`
  return new Worker(code, { eval: true, workerData: data, execArgv: [] })
}
