import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { noop } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

/** A network between a page and its server that can break, or swallow everything silently. */
export class TcpProxy {
  /** How many connections were made. */
  total = 0
  readonly #sockets = new Set<Socket>()
  /** Those that lead to the server. */
  readonly #far = new Set<Socket>()
  readonly #changes = new Changes()
  readonly #server
  #target: number
  #frozen = false
  #down = false

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer({ allowHalfOpen: false }, (near) => {
      this.total++
      if (this.#down) near.resetAndDestroy()
      else this.#carry(near, connect(this.#target, '127.0.0.1'))
    })
  }

  static async listen(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** How many connections the server has. */
  get open(): number {
    return this.#far.size
  }

  /** Resolves when the server has no connection. */
  idle(): Promise<void> {
    return this.#changes.until(() => this.open === 0)
  }

  /** Leads new connections to another server. */
  lead(target: number): void {
    this.#target = target
  }

  /** Breaks all connections. New ones work. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Breaks all connections, and new ones until `up()`. */
  down(): void {
    this.#down = true
    this.cut()
  }

  up(): void {
    this.#down = false
  }

  /** Swallows everything from now on, without closing anything. */
  freeze(): void {
    this.#frozen = true
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #carry(near: Socket, far: Socket): void {
    this.#far.add(far)
    far.on('close', () => {
      this.#far.delete(far)
      this.#changes.notify()
    })
    this.#join(near, far)
    this.#join(far, near)
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('error', noop)
    from.on('data', (data) => {
      if (!this.#frozen) to.write(data)
    })
    from.on('close', () => {
      this.#sockets.delete(from)
      if (!this.#frozen) to.destroy()
    })
  }
}
