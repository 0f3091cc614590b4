import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

import { limits } from './limits.ts'

/**
 * Passes progress updates to their calls. The SDK's own handling is not used: it delivers progress asynchronously but the
 * response at once, so an update that arrives together with the response would be lost.
 */
export class Progress {
  readonly #calls = new Map<number, (update: string) => void>()
  #tokens = 0

  /** Starts to pass on the updates of a call. Returns its progress token. */
  start(report: (update: string) => void): number {
    let updates = 0
    const token = ++this.#tokens
    this.#calls.set(token, (update) => {
      if (updates++ < limits.progress) report(update)
    })
    return token
  }

  end(token: number): void {
    this.#calls.delete(token)
  }

  /** Handles a message from the server. */
  handle(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/progress') return
    const { progressToken, progress, total, message: text } = message.params ?? {}
    const report = this.#calls.get(Number(progressToken))
    const done = total === undefined ? `${Number(progress)}` : `${Number(progress)}/${Number(total)}`
    try {
      report?.(typeof text === 'string' ? text : done)
    } catch {
      // The call has already ended.
    }
  }
}
