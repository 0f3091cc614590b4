import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts a file in a worker thread: `file` has no extension, and is in the folder of the module `caller`. The file is JavaScript in
 * the package, and TypeScript in the repository, where tsx has to be registered first.
 */
export function startThread(caller: string, file: string, data: unknown): Worker {
  const extension = caller.endsWith('.ts') ? 'ts' : 'js'
  const url = new URL(`./${file}.${extension}`, caller)
  // Without the process's own `execArgv`: loaders such as tsx would only slow the thread down.
  if (extension === 'js') return new Worker(url, { workerData: data, execArgv: [] })
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx'))
  const { href: api } = new URL('./esm/api/index.mjs', tsx)
  const code = `import('${api}').then(({ register }) => (register(), import('${url.href}')))`
  return new Worker(code, { eval: true, workerData: data, execArgv: [] })
}
