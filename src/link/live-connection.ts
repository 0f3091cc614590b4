import type { Socket, SocketEnd, SocketEvents } from '../scope/index.ts'
import { limits } from './limits.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import type { Data, LinkConnection } from './protocol.ts'

/** What a connection tells its link. */
export interface ConnectionHost {
  opened(connection: LiveConnection): void
  message(connection: LiveConnection, data: Data): void
  ended(connection: LiveConnection, end: SocketEnd): void
  ready(connection: LiveConnection): void
  rollOver(connection: LiveConnection, after: number): void
  /** Its end was announced; the socket still stands. */
  announced(connection: LiveConnection, end: LinkEnd): void
}

/** One socket of a link: on one side its events, on the other what the protocol may do with it. */
export class LiveConnection implements LinkConnection, SocketEvents {
  readonly generation: number
  /** A message came since it was ready. */
  answered = false
  /** Nothing of it is heard any more. */
  deaf = false
  /** Its protocol may send nothing over it any more. */
  mute = false
  readonly #host: ConnectionHost
  /** Gone when it has ended: a protocol that keeps this must not keep the socket. */
  #socket: Socket | undefined

  constructor(generation: number, host: ConnectionHost) {
    this.generation = generation
    this.#host = host
  }

  /** As soon as it is dialled: sockets tell nothing before. */
  attach(socket: Socket): void {
    this.#socket = socket
  }

  /** Sends it, unless the socket cannot take it now: it is not open, or its peer does not keep up. */
  take(data: Data): boolean {
    const socket = this.#socket
    if (socket?.state !== 'open' || socket.buffered > limits.congested) return false
    socket.send(data)
    return true
  }

  /** Sends one of the protocol's ending frames. */
  sendEnding(data: Data): void {
    this.#socket?.send(data)
  }

  sendClose(): void {
    this.#socket?.close(1000)
  }

  /** Another has taken its place. */
  fence(): void {
    this.deaf = true
    this.mute = true
  }

  /** Ends it now. */
  cut(): void {
    this.fence()
    this.#socket?.abort()
    this.#socket = undefined
  }

  // ── what the protocol may do ──

  send(data: Data): void {
    if (!this.mute) this.#socket?.send(data)
  }

  ready(): void {
    this.#host.ready(this)
  }

  rollOver(after = 0): void {
    this.#host.rollOver(this, Math.max(0, after))
  }

  end(as: Exclude<EndClass, 'asked'>, reason?: string): void {
    this.#host.announced(this, reason ? { class: as, reason: clip(reason) } : { class: as })
  }

  // ── what its socket tells ──

  opened(): void {
    if (!this.deaf) this.#host.opened(this)
  }

  message(data: Data): void {
    if (!this.deaf) this.#host.message(this, data)
  }

  ended({ reason, ...end }: SocketEnd): void {
    this.#socket = undefined
    this.#host.ended(this, reason ? { ...end, reason: clip(reason) } : end)
  }
}

/** A peer's words are not trusted to be short. */
function clip(text: string): string {
  return text.length <= limits.reason ? text : `${text.slice(0, limits.reason - 1)}…`
}
