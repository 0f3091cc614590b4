import { clip, type Clock, type Socket, type SocketEnd, type SocketEvents } from '../scope/index.ts'
import { InboundBudget } from './inbound-budget.ts'
import { limits } from './limits.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import type { Data, InboundLimits, LinkConnection } from './protocol.ts'
import { redact, redactData } from './redact.ts'

/** What happens on a connection. */
export type ConnectionEvent =
  | { readonly type: 'opened' | 'ready' }
  | { readonly type: 'message'; readonly data: Data }
  /** The peer has sent more than it may. */
  | { readonly type: 'flooded' }
  /** A ping or a pong arrived. */
  | { readonly type: 'alive' }
  | { readonly type: 'roll-over'; readonly after: number }
  /** The peer announced the end of the connection. The socket is still open. */
  | { readonly type: 'end-announced'; readonly end: LinkEnd }
  | { readonly type: 'ended'; readonly end: SocketEnd }

/** Receives the events of a connection: the link. One function, because a closure per event would make links larger. */
export type ConnectionHost = (connection: LiveConnection, event: ConnectionEvent) => void

export interface ConnectionOptions {
  readonly clock: Clock
  /** The credentials of the request. */
  readonly credentials: readonly string[]
  readonly inbound: InboundLimits
}

/**
 * One socket of a link. Its protocol sees it as a `LinkConnection`. A vendor's text enters here and nowhere else: what
 * comes out contains no credential of the request (LK12).
 */
export class LiveConnection implements LinkConnection, SocketEvents {
  readonly generation: number
  /** Whether a message has arrived since it became ready. */
  answered = false
  /** Whether its protocol may no longer send on it. */
  mute = false
  /** Whether its messages are ignored. */
  #fenced = false
  readonly #host: ConnectionHost
  readonly #credentials: readonly string[]
  readonly #clock: Clock
  readonly #budget: InboundBudget
  /** Released at the end, so that a protocol that keeps this object does not keep the socket. */
  #socket: Socket | undefined

  constructor(generation: number, host: ConnectionHost, { clock, credentials, inbound }: ConnectionOptions) {
    this.generation = generation
    this.#host = host
    this.#credentials = credentials
    this.#clock = clock
    this.#budget = new InboundBudget(inbound, clock.now())
  }

  /** To be called right after dialling. A socket emits no event before that. */
  attach(socket: Socket): void {
    this.#socket = socket
  }

  /** Sends `data`. Returns false if the socket cannot take it now: it is not open, or its peer does not keep up. */
  trySend(data: Data): boolean {
    const socket = this.#socket
    if (socket?.state !== 'open' || socket.buffered > limits.congested) return false
    socket.send(data)
    return true
  }

  ping(): void {
    this.#socket?.ping()
  }

  /** Sends one of the protocol's ending frames, even when the connection is mute. */
  sendEnding(data: Data): void {
    this.#socket?.send(data)
  }

  sendClose(): void {
    this.#socket?.close(1000)
  }

  /** Disconnects it from its protocol, because another connection has replaced it. */
  fence(): void {
    this.#fenced = true
    this.mute = true
  }

  /** Ends it now. */
  cut(): void {
    this.fence()
    this.#socket?.abort()
    this.#socket = undefined
  }

  // ── LinkConnection ──

  send(data: Data): void {
    if (!this.mute) this.#socket?.send(data)
  }

  ready(): void {
    this.#host(this, { type: 'ready' })
  }

  /** `after` may come from a message of the peer, and be negative, NaN or infinite. */
  rollOver(after = 0): void {
    const delay = Number.isNaN(after) ? 0 : Math.max(0, after)
    this.#host(this, { type: 'roll-over', after: Math.min(delay, limits.longestRolloverDelay) })
  }

  end(as: Exclude<EndClass, 'asked'>, reason?: string): void {
    const end = reason ? { class: as, reason: this.#plain(reason) } : { class: as }
    this.#host(this, { type: 'end-announced', end })
  }

  // ── SocketEvents ──

  opened(): void {
    if (!this.#fenced) this.#host(this, { type: 'opened' })
  }

  message(data: Data): void {
    // A socket that was cut may still emit what it has read.
    if (!this.#socket) return
    const budget = this.#budget
    const taken = this.mute ? budget.takeLate(data.length) : budget.take(data.length, this.#clock.now())
    if (!taken) this.#host(this, { type: 'flooded' })
    else if (!this.#fenced) this.#host(this, { type: 'message', data: redactData(data, this.#credentials) })
  }

  alive(): void {
    if (!this.#fenced) this.#host(this, { type: 'alive' })
  }

  ended({ reason, ...rest }: SocketEnd): void {
    this.#socket = undefined
    const end = reason ? { ...rest, reason: this.#plain(reason) } : rest
    this.#host(this, { type: 'ended', end })
  }

  #plain(reason: string): string {
    return plainReason(reason, this.#credentials)
  }
}

/** A reason of the peer, without keys and control characters. */
export function plainReason(reason: string, credentials: readonly string[] = []): string {
  return clip(redact(reason, credentials).replaceAll(/\p{Cc}+/gu, ' '), limits.reason)
}
