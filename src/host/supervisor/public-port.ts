import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { ListenError } from '../errors.ts'
import { limits } from './limits.ts'

/** Something that takes a connection, or calls `failed` if it cannot. */
export interface Taker {
  hand(socket: Socket, failed: () => void): void
}

/**
 * The port that callers connect to. The supervisor listens, and hands each connection to a worker, by turns. The port stays
 * open while workers are replaced: connections wait, and none is refused.
 */
export class PublicPort {
  readonly #server: Server
  readonly #takers: () => readonly Taker[] | 'wait'
  readonly #waiting: Socket[] = []
  #turn = 0

  /** `takers` returns the workers that take connections now, or `wait` if some will soon. */
  private constructor(takers: () => readonly Taker[] | 'wait') {
    this.#takers = takers
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#take(socket))
    this.#server.on('error', () => {})
  }

  static open(
    { port, host }: { readonly port: number; readonly host: string },
    takers: () => readonly Taker[] | 'wait',
  ): Promise<PublicPort> {
    const publicPort = new PublicPort(takers)
    return new Promise((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException): void => reject(new ListenError(host, port, error))
      publicPort.#server.once('error', refused)
      publicPort.#server.listen(port, host, () => {
        publicPort.#server.off('error', refused)
        resolve(publicPort)
      })
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Hands over what waits, because there may be takers now. */
  offer(): void {
    for (const socket of this.#waiting.splice(0)) this.#take(socket)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#waiting.splice(0)) socket.destroy()
  }

  /** `failed`: takers that did not take it. Their process is gone, and they are still listed. */
  #take(socket: Socket, failed: readonly Taker[] = []): void {
    // The peer may vanish while the connection waits.
    if (socket.listenerCount('error') === 0) socket.on('error', () => {})
    if (socket.destroyed) return undefined
    const takers = this.#takers()
    if (takers !== 'wait' && takers.length === 0) return void socket.destroy()
    const left = takers === 'wait' ? [] : takers.filter((taker) => !failed.includes(taker))
    const taker = left[this.#turn++ % Math.max(1, left.length)]
    if (taker) return taker.hand(socket, () => this.#take(socket, [...failed, taker]))
    if (this.#waiting.length < limits.waiting) this.#waiting.push(socket)
    else socket.destroy()
    return undefined
  }
}
