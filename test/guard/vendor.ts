import type { Manners, Peer } from '../../src/testing/index.ts'
import { LoopbackServer } from '../../src/testing/servers/index.ts'

/** The vendor's server of a guarded framework. It never finishes an HTTP request. */
export class Vendor {
  /** How the server treats the next connections. */
  manners: Manners = {}
  readonly #server: LoopbackServer
  readonly #peers = new Set<Peer>()

  private constructor(server: LoopbackServer) {
    this.#server = server
    server.serve = () => ({
      ...this.manners,
      opened: (peer) => {
        this.#peers.add(peer)
        this.manners.opened?.(peer)
      },
      ended: (peer) => this.#peers.delete(peer),
    })
  }

  static async listen(): Promise<Vendor> {
    return new Vendor(await LoopbackServer.listen({ http: () => {} }))
  }

  get url(): string {
    return this.#server.url
  }

  get http(): string {
    return this.url.replace('ws:', 'http:')
  }

  /** The number of open connections and requests. */
  get open(): number {
    return this.#server.open
  }

  get total(): number {
    return this.#server.total
  }

  until(met: () => boolean): Promise<void> {
    return this.#server.until(met)
  }

  whenIdle(): Promise<void> {
    return this.#server.whenIdle()
  }

  send(data: string): void {
    for (const peer of this.#peers) peer.send(data)
  }

  hangUp(code: number, reason: string): void {
    for (const peer of this.#peers) peer.close(code, reason)
  }

  drop(): void {
    for (const peer of this.#peers) peer.drop()
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}
