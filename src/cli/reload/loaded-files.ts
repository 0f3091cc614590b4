import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { fingerprintOf, isOwn, type LoadedFile } from './fingerprint.ts'

/** The hooks that run in the thread that loads. From Node 22.15 on. */
interface SyncHooks {
  readonly registerHooks?: (hooks: {
    load(url: string, context: object, next: (url: string, context: object) => unknown): unknown
  }) => unknown
}

/**
 * From now on, reports every file of the project that this process loads as a module, with the content that it had then. Returns a
 * function that reports at once what is still on its way.
 */
export function reportLoadedFiles(report: (file: LoadedFile) => void): () => void {
  const known = new Set<string>()
  const add = (file: LoadedFile): void => {
    if (known.has(file.path)) return
    known.add(file.path)
    report(file)
  }
  const { createRequire, register } = nodeModule
  const { registerHooks } = nodeModule as SyncHooks
  if (registerHooks) {
    registerHooks({
      load: (url, context, next) => {
        const file = loadedFile(url)
        if (file) add(file)
        return next(url, context)
      },
    })
    return () => {}
  }
  const { port1, port2 } = new MessageChannel()
  port1.on('message', add)
  port1.unref()
  register(new URL('loaded-files-hooks.js', import.meta.url), { data: port2, transferList: [port2] })
  return () => {
    for (;;) {
      const received: { readonly message: LoadedFile } | undefined = receiveMessageOnPort(port1)
      if (!received) break
      add(received.message)
    }
    // These hooks do not see what CommonJS modules require.
    for (const path of Object.keys(createRequire(import.meta.url).cache))
      if (isOwn(path)) add({ path, fingerprint: fingerprintOf(path) })
  }
}

/** The file of a module, if it belongs to the project. */
export function loadedFile(url: string): LoadedFile | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = fileURLToPath(url.replace(/[?#].*$/s, ''))
  return isOwn(path) ? { path, fingerprint: fingerprintOf(path) } : undefined
}
