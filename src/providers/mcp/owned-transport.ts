import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

import type { ConnectionReport } from '../../parts/index.ts'
import type { Clock } from '../../scope/index.ts'
import type { Sdk } from './sdk.ts'

/**
 * An SDK transport that a scope can own. The SDK's own transports are not usable here: the one for processes cannot be
 * aborted while it closes, and the one for HTTP leaves reconnect timers and unanswered calls behind.
 *
 * The SDK calls `close()`, which is the same as `end()` but never rejects.
 */
export interface OwnedTransport extends Transport {
  /** Closing is intended: from now on only cancellations of calls are sent (LK9). */
  closing(): void
  /** Ends the connection as the protocol prescribes, in bounded time. Rejects if it had to be forced. */
  end(): Promise<void>
  /** Ends the connection now. Synchronous and idempotent. */
  abort(): void
  readonly ended: boolean
  /** Why it ended, as a clause: 'it ended with exit code 1'. */
  readonly cause: string
  /** The end of the server's stderr, for the log. */
  readonly stderr: string
}

export interface TransportHost {
  readonly name: string
  readonly sdk: Sdk
  readonly clock: Clock
  readonly endTimeout: number
  /** Receives each message before the SDK does. */
  readonly message: (message: JSONRPCMessage) => void
  /** Called once when the transport has ended, if it was ever connected. */
  readonly ended: (end: TransportEnd) => void
}

export type TransportEnd = Omit<ConnectionReport, 'name' | 'retries'>

/** The id of the call that a message cancels; undefined for other messages. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return message.params?.['requestId'] as RequestId | undefined
}
