import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { headOf } from '../fleet/relay.ts'
import { limits } from '../supervisor/limits.ts'
import type { PassedRequest } from '../supervisor/messages.ts'

/** The other workers of this host. They take the calls that this process has no room for (HO40). */
export interface Neighbours {
  /** Whether one of them has room for another call, or will have soon. */
  hasRoom(): Promise<boolean>
  /** The name of this process. */
  readonly own: string
  /** The address of the process with that name, or of one in which there is a place for another call. */
  addressOf(process: string | undefined): Promise<string | undefined>
  /** Has one of them answer the request of a connection. Calls `failed` if the connection could not be given away. */
  pass(socket: Socket, request: PassedRequest, failed: () => void): void
}

/** Passes upgrades on to other workers, and knows how many times those that came from them were passed on. */
export class PassOn {
  readonly #neighbours: Neighbours | undefined
  readonly #hops = new WeakMap<Duplex, number>()

  constructor(neighbours: Neighbours | undefined) {
    this.#neighbours = neighbours
  }

  /** A connection was passed on to this process. */
  received(socket: Socket, { hops }: PassedRequest): void {
    this.#hops.set(socket, hops)
  }

  /** Passes an upgrade on. Calls `here` if that is not possible: the request is to be answered by this process. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer, here: () => void): void {
    const hops = this.#hops.get(tcp) ?? 0
    if (!this.#neighbours || !(tcp instanceof Socket) || hops >= limits.hops) return here()
    const passed = { head: headOf(request) + head.toString('latin1'), hops }
    if (passed.head.length > limits.head) return here()
    return this.#neighbours.pass(tcp, passed, here)
  }
}
