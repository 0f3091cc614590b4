import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

import type { ConnectionReport } from '../../parts/index.ts'
import type { Clock } from '../../scope/index.ts'
import type { Sdk } from './sdk.ts'

/**
 * A transport of the SDK that a scope can own. The SDK's own will not do: that for processes ends them in its own time
 * and cannot be cut short, and that for HTTP leaves timers for reconnecting behind, and calls without an answer.
 *
 * `close()` is for the SDK, and means `end()` to it.
 */
export interface OwnedTransport extends Transport {
  /** The intent: from here on it carries nothing but the news that calls are cancelled (LK9). */
  closing(): void
  /** Ends it as the protocol wants, in bounded time. Rejects if that took force. */
  end(): Promise<void>
  /** Ends it now. Synchronous and idempotent. */
  abort(): void
  /** Nothing will come of it any more. */
  readonly over: boolean
  /** Why it does not live any more, as half a sentence. */
  readonly cause: string
  /** What its server has complained about, for the logs: the end of it. */
  readonly complaints: string
}

/** What a transport is given. */
export interface TransportHost {
  readonly name: string
  readonly sdk: Sdk
  readonly clock: Clock
  readonly endTimeout: number
  /** A message has come; the SDK sees it after this. */
  readonly heard: (message: JSONRPCMessage) => void
  /** It is over: told once, if it ever was connected. */
  readonly ended: (end: TransportEnd) => void
}

export type TransportEnd = Omit<ConnectionReport, 'name' | 'retries'>

/** Which call a message takes back, if it is that sort of message. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return message.params?.['requestId'] as RequestId | undefined
}
