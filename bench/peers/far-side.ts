import type { Peer } from '../../src/testing/index.ts'
import { LoopbackServer } from '../../src/testing/servers/index.ts'
import type { Order, Seen } from './case.ts'
import type { Vendor } from './vendor.ts'

/**
 * The far side of a run's connections, on its own port. It counts them, whatever the session reports.
 *
 * A pooled connection that waits for the next request is not counted, because it does not belong to a session.
 */
export class FarSide {
  messages = 0
  readonly #server: LoopbackServer
  readonly #vendor: Vendor
  readonly #peers = new Set<Peer>()

  private constructor(server: LoopbackServer, vendor: Vendor) {
    this.#server = server
    this.#vendor = vendor
  }

  static async listen(vendor: Vendor): Promise<FarSide> {
    const server = await LoopbackServer.listen(vendor.http ? { http: vendor.http } : {})
    const side = new FarSide(server, vendor)
    server.serve = (request) => {
      const theirs = vendor.serve?.(request) ?? {}
      return {
        ...theirs,
        opened: (peer) => {
          side.#peers.add(peer)
          theirs.opened?.(peer)
        },
        message: (peer, data) => {
          side.messages++
          theirs.message?.(peer, data)
        },
        ended: (peer) => {
          side.#peers.delete(peer)
          theirs.ended?.(peer)
        },
      }
    }
    return side
  }

  get url(): string {
    return this.#server.url
  }

  get open(): number {
    return this.#server.open
  }

  get total(): number {
    return this.#server.total
  }

  seen({ connections = 0, open = 0, messages = 0 }: Seen): Promise<void> {
    return this.#server.until(
      () => this.total >= connections && this.open >= open && this.messages >= messages,
    )
  }

  /** Resolves when no connection is left. */
  idle(): Promise<void> {
    return this.#server.whenIdle()
  }

  carryOut(order: Order): void {
    switch (order.do) {
      case 'drop':
        for (const peer of this.#peers) peer.drop()
        break
      case 'hang up':
        for (const peer of this.#peers) peer.close(order.code, order.reason)
        break
      case 'vendor': {
        const carryOut = this.#vendor.orders?.[order.order]
        if (!carryOut) throw new Error(`the vendor does not know the order '${order.order}'`)
        carryOut()
      }
    }
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}
