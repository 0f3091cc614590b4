// Hooks of Node's loader, which run in a thread of their own: see loaded-files.ts.

import type { InitializeHook, LoadHook } from 'node:module'
import type { MessagePort } from 'node:worker_threads'
import { loadedFile } from './loaded-files.ts'

let port: MessagePort | undefined

export const initialize: InitializeHook<MessagePort> = (data) => {
  port = data
}

export const load: LoadHook = (url, context, next) => {
  const file = loadedFile(url)
  // Before the file is loaded, so that it has arrived by the time that the import has ended.
  if (file) port?.postMessage(file)
  return next(url, context)
}
