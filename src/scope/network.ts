import type { Registry } from './registry.ts'

/** Sockets, as endwell's own code sees them (SC17). Only links dial; the registry shows what is open. */
export interface Network {
  /**
   * Begins to open a WebSocket. Never throws: whatever happens is told to `events`, asynchronously, and exactly one
   * `ended` comes last, also when the connection was never made.
   */
  dial(request: DialRequest, events: SocketEvents): Socket
  /** Sockets that have not ended, connecting ones included. */
  readonly sockets: Registry
}

export interface DialRequest {
  readonly name: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

export interface SocketEvents {
  opened(): void
  message(data: string | Uint8Array): void
  ended(end: SocketEnd): void
}

/** How a socket ended. */
export interface SocketEnd {
  /**
   * - `refused`: it never opened; `status` is the HTTP status if there was an answer
   * - `closed`: both sides agreed, or the peer closed it
   * - `dropped`: it broke
   * - `aborted`: `abort()` was called
   */
  readonly how: 'refused' | 'closed' | 'dropped' | 'aborted'
  readonly code?: number
  readonly reason?: string
  readonly status?: number
}

export interface Socket {
  readonly state: 'connecting' | 'open' | 'closing' | 'ended'
  /** Bytes handed to `send` that have not left yet. */
  readonly buffered: number
  /** Does nothing unless open. */
  send(data: string | Uint8Array): void
  /** Sends the close frame. The peer may never answer: bound it, then abort. */
  close(code?: number, reason?: string): void
  /** Cuts the connection now. Synchronous and idempotent. */
  abort(): void
}
