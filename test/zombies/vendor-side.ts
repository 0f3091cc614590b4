import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DialRequest } from '../../src/scope/index.ts'
import type { Manners, Peer } from '../../src/testing/index.ts'
import { LoopbackServer } from '../../src/testing/servers/index.ts'

/** A vendor's server: it serves sockets or HTTP requests. */
export interface Vendor {
  readonly serve?: (request: DialRequest) => Manners
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void
}

/** The vendor's side of a session's connections, on a real port. It counts connections and can misbehave at any time. */
export class VendorSide {
  /** Overrides the vendor's own manners for the next connections. */
  manners: Manners = {}
  /** Whether the next connections are accepted but neither answered nor read. */
  deaf = false
  /** The numbers of connections accepted and of messages received. */
  accepted = 0
  messages = 0
  readonly #peers = new Set<Peer>()
  readonly #server: LoopbackServer

  private constructor(server: LoopbackServer) {
    this.#server = server
  }

  static async listen(vendor: Vendor): Promise<VendorSide> {
    const { http } = vendor
    const server = await LoopbackServer.listen(http ? { http } : {})
    const side = new VendorSide(server)
    server.serve = (request) => side.#treat(vendor.serve?.(request) ?? {})
    return side
  }

  get url(): string {
    return this.#server.url
  }

  /** The number of open connections, including unanswered upgrades and requests. */
  get open(): number {
    return this.#server.open
  }

  /** The number of all connections so far. */
  get total(): number {
    return this.#server.total
  }

  until(condition: () => boolean): Promise<void> {
    return this.#server.until(condition)
  }

  drop(): void {
    for (const peer of this.#peers) peer.drop()
  }

  closeAll(code: number, reason: string): void {
    for (const peer of this.#peers) peer.close(code, reason)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  #treat(vendors: Manners): Manners {
    const { deaf } = this
    return {
      ...vendors,
      ...this.manners,
      opened: (peer) => {
        this.#peers.add(peer)
        this.accepted++
        if (!deaf) vendors.opened?.(peer)
      },
      message: (peer, data) => {
        this.messages++
        if (!deaf) vendors.message?.(peer, data)
      },
      ended: (peer) => {
        this.#peers.delete(peer)
        if (!deaf) vendors.ended?.(peer)
      },
    }
  }
}
