import { noop, type SocketEnd } from '../scope/index.ts'

/** How a peer left. */
export type PeerEnd = SocketEnd

/**
 * One connection from the far end of a call: a WebSocket, a WebRTC connection, a SIP dialog. A call can have several, one
 * after the other. A peer has one owner at a time, and only its owner hears it: a peer that was replaced is fenced from
 * the moment another owner takes it over (LN4).
 */
export interface Peer {
  owner: PeerOwner
  /** Bytes that were sent and have not left yet. */
  readonly buffered: number
  /** How long sound takes to reach the far end, in milliseconds, if the far end reports it. */
  readonly delay?: number
  /** Does nothing unless the peer is connected. Bytes are copied: they may change afterwards. */
  send(data: string | Uint8Array): void
  /** Asks for a sign of life that the far end gives by itself: a WebSocket ping. Its pong is a control frame. */
  ping(): void
  /** Ends the connection as its protocol wants. The far end may never answer: bound the wait, then abort. */
  close(code: number, reason: string): void
  /** Cuts the connection now. Synchronous and idempotent. */
  abort(): void
}

/** What a peer calls. It never does so from inside a call to the peer. */
export interface PeerOwner {
  message(data: string | Uint8Array): void
  /** A frame that carries no message arrived: a WebSocket ping or pong. */
  controlFrame(): void
  /** A method of the owner threw. The peer cuts itself, and `left` follows. */
  failed(error: unknown): void
  /** Called once, last. */
  left(end: PeerEnd): void
}

/** Owns a peer that is being closed: ignores everything it says. */
export const deafOwner = (left: () => void): PeerOwner => ({
  message: noop,
  controlFrame: noop,
  failed: noop,
  left,
})
