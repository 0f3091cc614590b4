import type { Scope, Socket, SocketEnd, SocketEvents } from '../../scope/index.ts'
import { limits } from './limits.ts'
import { closeCodes, type LineMessage } from './protocol.ts'

/** Takes a socket that is open: it will tell `events`, and never from inside this call. */
export type Accept = (events: SocketEvents) => Socket

/** Who listens to a page. */
export interface PageEvents {
  joined(): void
  message(data: string | Uint8Array): void
  /** It is cut off. */
  left(end: SocketEnd): void
}

/**
 * The page at the other end: one socket at a time. Whoever joins last is the page; the one before it is fenced at once,
 * so that nothing it says is heard any more, and cut (LN4).
 */
export class Page {
  #current: Socket | undefined
  /** All that have not ended, the fenced ones too. */
  readonly #sockets = new Set<Socket>()
  readonly #idle: (() => void)[] = []
  readonly #scope: Scope<string>
  #events: PageEvents | undefined

  /** The scope is that of all calls: it outlives them. */
  constructor(scope: Scope<string>) {
    this.#scope = scope
  }

  get here(): boolean {
    return this.#current !== undefined
  }

  /** Bytes that the socket holds back. */
  get buffered(): number {
    return this.#current?.buffered ?? 0
  }

  /** From now on somebody listens. What was said before was said to nobody. */
  listen(events: PageEvents): void {
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
      before.close(closeCodes.replaced, 'CALL_REPLACED')
      this.#scope.after(limits.closePatience, 'end of a page that was replaced', () => before.abort())
    }
    this.#events?.joined()
  }

  send(message: LineMessage): void {
    this.#current?.send(JSON.stringify(message))
  }

  sendSound(bytes: Uint8Array): void {
    this.#current?.send(bytes)
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
