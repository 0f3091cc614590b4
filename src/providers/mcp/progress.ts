import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

import { limits } from './limits.ts'

/**
 * The calls that want to hear how far they are. Not left to the SDK: it tells of progress a moment after the message,
 * and of the answer at once, so that what comes together with the answer would be lost.
 */
export class Progress {
  readonly #calls = new Map<number, (update: string) => void>()
  #tokens = 0

  /** Returns what the server shall call the call, until `end`. */
  begin(tell: (update: string) => void): number {
    let updates = 0
    const token = ++this.#tokens
    this.#calls.set(token, (update) => {
      if (updates++ < limits.progress) tell(update)
    })
    return token
  }

  end(token: number): void {
    this.#calls.delete(token)
  }

  /** Looks at a message of the server. */
  hear(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/progress') return
    const { progressToken, progress, total, message: words } = message.params ?? {}
    const tell = this.#calls.get(Number(progressToken))
    const done = total === undefined ? `${Number(progress)}` : `${Number(progress)}/${Number(total)}`
    try {
      tell?.(typeof words === 'string' ? words : done)
    } catch {
      // The call has its outcome already.
    }
  }
}
