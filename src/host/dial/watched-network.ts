import { wsNetwork } from '../../link/index.ts'
import type { DialRequest, Network, Socket, SocketEnd, SocketEvents } from '../../scope/index.ts'

/** The real network, which notes what was dialled and the first connection that was refused. */
export class WatchedNetwork implements Network {
  readonly sockets = wsNetwork.sockets
  /** The first request. */
  request: DialRequest | undefined
  /** Resolves when a connection was refused, or ended before anything else happened. A link would dial again. */
  readonly refused: Promise<SocketEnd>
  #refuse!: (end: SocketEnd) => void

  constructor() {
    this.refused = new Promise((resolve) => {
      this.#refuse = resolve
    })
  }

  dial(request: DialRequest, events: SocketEvents): Socket {
    this.request ??= request
    return wsNetwork.dial(request, {
      opened: () => events.opened(),
      message: (data) => events.message(data),
      alive: () => events.alive?.(),
      ended: (end) => {
        if (end.how === 'refused') this.#refuse(end)
        events.ended(end)
      },
    })
  }
}
