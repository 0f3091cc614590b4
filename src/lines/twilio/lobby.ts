import { noop, type Scope, type Socket, type SocketEvents } from '../../scope/index.ts'
import type { Accept } from '../accepted-socket.ts'
import { closeCodes } from './call-stream.ts'
import type { Carrier } from './carrier.ts'
import { limits } from './limits.ts'
import type { StartMessage } from './read-message.ts'

/** Where streams wait that have not said which call they are of. */
export class Lobby {
  readonly #carrier: Carrier
  readonly #scope: Scope<string>
  readonly #waiting = new Set<Socket>()
  /** Sockets that are being closed, until they have gone. */
  readonly #leaving = new Set<Socket>()

  constructor(carrier: Carrier, scope: Scope<string>) {
    this.#carrier = carrier
    this.#scope = scope
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Lets a socket wait. `then` is called when it has said what it is; it takes the socket over, or turns it away. */
  enter(accept: Accept, then: (start: StartMessage, accept: Accept) => void): void {
    let left: number = limits.opening
    const waits: SocketEvents = {
      opened: noop,
      message: (data) => {
        const message = typeof data === 'string' ? this.#carrier.read(data) : undefined
        if (message?.type === 'start') {
          leave()
          return then(message, (events) => {
            listener = events
            return socket
          })
        }
        left--
        return left > 0 ? undefined : cut()
      },
      ended: () => leave(),
    }
    let listener = waits
    const socket = accept({
      opened: noop,
      message: (data) => listener.message(data),
      ended: (end) => listener.ended(end),
    })
    const cut = (): void => {
      leave()
      this.turnAway((events) => {
        listener = events
        return socket
      }, closeCodes.misbehaved)
    }
    const timer = this.#scope.after(limits.introduction, 'a stream says which call it is of', cut)
    const leave = (): void => {
      timer.clear()
      this.#waiting.delete(socket)
    }
    this.#waiting.add(socket)
  }

  /** Ends a stream that is not wanted. Its call ends with it. */
  turnAway(accept: Accept, code: number = closeCodes.over): void {
    const ended = (): void => {
      timer?.clear()
      this.#leaving.delete(socket)
    }
    const socket = accept({ opened: noop, message: noop, ended })
    this.#leaving.add(socket)
    socket.close(code, 'refused')
    const live = this.#scope.state === 'live'
    const timer = live
      ? this.#scope.after(limits.closePatience, 'end of a stream that was refused', () => socket.abort())
      : undefined
    if (!live) socket.abort()
  }

  abort(): void {
    for (const socket of [...this.#waiting, ...this.#leaving]) socket.abort()
  }
}
