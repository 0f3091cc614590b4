import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/** The files of this folder that run in a thread of their own, without their ending. */
export type ThreadFile = 'espeak-thread' | 'recogniser-thread'

/**
 * Starts the file in a thread. It is JavaScript in the package and TypeScript in the repository, where tsx, which is
 * among the tools, has to be there first to read it.
 */
export function threadOf(file: ThreadFile, data: unknown): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const url = new URL(`./${file}.${ending}`, import.meta.url)
  // What the process itself was started with, tsx for instance, would only make the thread late.
  if (ending === 'js') return new Worker(url, { workerData: data, execArgv: [] })
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx'))
  const { href: api } = new URL('./esm/api/index.mjs', tsx)
  const code = `import('${api}').then(({ register }) => (register(), import('${url.href}')))`
  return new Worker(code, { eval: true, workerData: data, execArgv: [] })
}
