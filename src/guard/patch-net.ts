import { subscribe } from 'node:diagnostics_channel'
import type { Socket as UdpSocket } from 'node:dgram'
import { Socket, type Server } from 'node:net'
import { addressOf } from './address.ts'
import type { Opened } from './context.ts'
import { contextOf, type Runtime } from './runtime.ts'
import { openedServer, openedSocket, openedUdpSocket } from './opened-things.ts'
import { afterDelay } from './patch-timers.ts'

type Connect = (this: Socket, ...args: unknown[]) => Socket

/**
 * Hooks every client socket: `net`, `tls`, `http`, `fetch` and `ws` all call `Socket.prototype.connect`.
 *
 * The diagnostics channel `net.client.socket` is not enough. On Node 20 it misses TLS and sockets created directly, and a
 * subscriber can never refuse a connection, because `connect` revives a socket that was destroyed before.
 */
export function patchNet(runtime: Runtime): void {
  const prototype = Socket.prototype as unknown as { connect: Connect }
  const { connect } = prototype
  prototype.connect = function (...args) {
    if (runtime.contexts === 0) return Reflect.apply(connect, this, args)
    const store = runtime.storage.getStore()
    const to = addressOf(args)
    if (store?.type !== 'guard') {
      if (store === undefined && runtime.guards > 0) runtime.unowned.add(this, to)
      return Reflect.apply(connect, this, args)
    }
    const refusal = store.refuse(`connect to ${to}`)
    if (!refusal) {
      const socket = Reflect.apply(connect, this, args)
      store.opened(openedSocket(this, to))
      return socket
    }
    Object.assign(this, { connecting: true })
    afterDelay(refusal.delay, () => this.destroy(refusal.error))
    return this
  }
  watch(runtime, 'udp.socket', (message) => openedUdpSocket((message as { socket: UdpSocket }).socket))
  watch(runtime, 'tracing:net.server.listen:asyncEnd', (message) =>
    openedServer((message as { server: Server }).server),
  )
}

/** Watches a diagnostics channel. Opening cannot be refused there, so what is refused is ended on the next tick. */
export function watch(runtime: Runtime, channel: string, opened: (message: unknown) => Opened): void {
  subscribe(channel, (message) => {
    const context = contextOf(runtime)
    if (!context) return
    const thing = opened(message)
    if (context.refuse(`open a ${thing.kind}`)) process.nextTick(() => thing.abort())
    else context.opened(thing)
  })
}
