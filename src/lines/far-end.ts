import type { Scope, Socket, SocketEnd } from '../scope/index.ts'
import type { Accept } from './accepted-socket.ts'

/** Who listens to the far end. */
export interface FarEndEvents {
  joined(): void
  message(data: string | Uint8Array): void
  /** It is cut off. */
  left(end: SocketEnd): void
}

export interface FarEndOptions {
  /** What a socket is told whose place another one has taken. */
  readonly replaced: { readonly code: number; readonly reason: string }
  /** How long it may take to answer that. */
  readonly closePatience: number
}

/**
 * Whoever is at the other end of a call: one socket at a time. Whoever joins last is the far end; the one before it is
 * fenced at once, so that nothing it says is heard any more, and cut (LN4).
 */
export class FarEnd {
  #current: Socket | undefined
  /** All that have not ended, the fenced ones too. */
  readonly #sockets = new Set<Socket>()
  readonly #idle: (() => void)[] = []
  readonly #scope: Scope<string>
  readonly #options: FarEndOptions
  #events: FarEndEvents | undefined

  /** The scope is that of all calls: it outlives them. */
  constructor(scope: Scope<string>, options: FarEndOptions) {
    this.#scope = scope
    this.#options = options
  }

  get here(): boolean {
    return this.#current !== undefined
  }

  /** Bytes that the socket holds back. */
  get buffered(): number {
    return this.#current?.buffered ?? 0
  }

  /** From now on somebody listens. What was said before was said to nobody. */
  listen(events: FarEndEvents): void {
    this.#events = events
  }

  join(accept: Accept): void {
    const before = this.#current
    const socket = accept({
      opened() {},
      message: (data) => {
        if (this.#current === socket) this.#events?.message(data)
      },
      ended: (end) => this.#ended(socket, end),
    })
    this.#sockets.add(socket)
    this.#current = socket
    if (before) {
      const { replaced, closePatience } = this.#options
      before.close(replaced.code, replaced.reason)
      this.#scope.after(closePatience, 'end of a socket that was replaced', () => before.abort())
    }
    this.#events?.joined()
  }

  send(data: string | Uint8Array): void {
    this.#current?.send(data)
  }

  /** Ends it by the close frame. Resolves when the other side has answered. */
  close(code: number, reason: string): Promise<void> {
    for (const socket of this.#sockets) socket.close(code, reason)
    return this.ended()
  }

  /** Resolves when no socket is left. */
  ended(): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Cuts it, now. */
  abort(): void {
    for (const socket of this.#sockets) socket.abort()
  }

  #ended(socket: Socket, end: SocketEnd): void {
    this.#sockets.delete(socket)
    if (this.#current === socket) {
      this.#current = undefined
      this.#events?.left(end)
    }
    if (this.#sockets.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
