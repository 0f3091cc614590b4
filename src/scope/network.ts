import type { Registry } from './registry.ts'

/** The source of sockets for endwell's own code (SC17). Only links dial; the registry shows what is open. */
export interface Network {
  /**
   * Starts to open a WebSocket. Never throws: everything is reported asynchronously through `events`. `ended` is called
   * last and exactly once, also if the connection was never made.
   */
  dial(request: DialRequest, events: SocketEvents): Socket
  /** Sockets that have not ended, including those that are connecting. */
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
  /** A ping or a pong arrived: the peer's host is alive, even if it has nothing to say. */
  alive?(): void
  ended(end: SocketEnd): void
}

/** How a socket ended. */
export interface SocketEnd {
  /**
   * - `refused`: it never opened; `status` is the HTTP status, if the server answered
   * - `closed`: both sides agreed, or the peer closed it
   * - `dropped`: the connection broke
   * - `aborted`: `abort()` was called
   */
  readonly how: 'refused' | 'closed' | 'dropped' | 'aborted'
  readonly code?: number
  readonly reason?: string
  readonly status?: number
}

export interface Socket {
  readonly state: 'connecting' | 'open' | 'closing' | 'ended'
  /** Bytes passed to `send` that have not been written yet. */
  readonly buffered: number
  /** No-op unless the socket is open. */
  send(data: string | Uint8Array): void
  /** Sends a ping, which every live peer answers with a pong. No-op unless the socket is open. */
  ping(): void
  /** Sends the close frame. The peer may never answer, so bound the wait and then abort. */
  close(code?: number, reason?: string): void
  /** Cuts the connection now. Synchronous and idempotent. */
  abort(): void
}
