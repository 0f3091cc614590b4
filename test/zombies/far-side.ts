import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DialRequest } from '../../src/scope/index.ts'
import type { Manners, Peer } from '../../src/testing/index.ts'
import { LoopbackServer } from '../../src/testing/servers/index.ts'

/** What a vendor's server is, seen from a port: it treats sockets, or answers requests. */
export interface Vendor {
  readonly serve?: (request: DialRequest) => Manners
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void
}

/** The other side of a session's connections, on a real port: it can turn rude at any moment, and counts. */
export class FarSide {
  /** How the next connections are treated, whatever the vendor's own manners are. */
  manners: Manners = {}
  /** The next connections are opened, and nothing is said or heard on them. */
  deaf = false
  /** What is heard, in pieces. */
  messages = 0
  readonly #peers = new Set<Peer>()
  readonly #server: LoopbackServer

  private constructor(server: LoopbackServer) {
    this.#server = server
  }

  static async listen(vendor: Vendor): Promise<FarSide> {
    const { http } = vendor
    const server = await LoopbackServer.listen(http ? { http } : {})
    const side = new FarSide(server)
    server.serve = (request) => side.#treat(vendor.serve?.(request) ?? {})
    return side
  }

  get url(): string {
    return this.#server.url
  }

  /** Connections now, those included that wait for an answer. */
  get open(): number {
    return this.#server.open
  }

  /** All there ever were. */
  get total(): number {
    return this.#server.total
  }

  until(met: () => boolean): Promise<void> {
    return this.#server.until(met)
  }

  drop(): void {
    for (const peer of this.#peers) peer.drop()
  }

  hangUp(code: number, reason: string): void {
    for (const peer of this.#peers) peer.close(code, reason)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  #treat(theirs: Manners): Manners {
    const { deaf } = this
    return {
      ...theirs,
      ...this.manners,
      opened: (peer) => {
        this.#peers.add(peer)
        if (!deaf) theirs.opened?.(peer)
      },
      message: (peer, data) => {
        this.messages++
        if (!deaf) theirs.message?.(peer, data)
      },
      ended: (peer) => {
        this.#peers.delete(peer)
        if (!deaf) theirs.ended?.(peer)
      },
    }
  }
}
