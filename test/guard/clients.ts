import { once } from 'node:events'
import { request } from 'node:http'
import { connect, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import type { RemoteServer } from './remote-server.ts'

/** Every way in which a framework can open a connection. Each connection stays open. */
export const clients: Readonly<Record<string, (remote: RemoteServer) => Promise<unknown>>> = {
  net: async ({ port }) =>
    once(
      connect(port, '127.0.0.1').on('error', () => {}),
      'connect',
    ),
  'a socket created directly': async ({ port }) =>
    once(new Socket().connect({ port, host: '127.0.0.1' }), 'connect'),
  tls: async (remote) => {
    const { total } = remote
    // The server does not speak TLS: the connection stays open, and the handshake never completes.
    connectTls({ port: remote.port, host: '127.0.0.1' }).on('error', () => {})
    await remote.until(() => remote.total > total)
  },
  ws: ({ ws }) => openWebSocket(ws),
  http: async (remote) => {
    const { slow } = remote
    request(`${remote.http}/slow`)
      .on('error', () => {})
      .end()
    await remote.until(() => remote.slow > slow)
  },
  fetch: async (remote) => {
    const { slow } = remote
    fetch(`${remote.http}/slow`).catch(() => {})
    await remote.until(() => remote.slow > slow)
  },
}

export async function openWebSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

/** Resolves with the next error of an emitter. */
export async function errorOf(emitter: NodeJS.EventEmitter): Promise<Error & { code?: string }> {
  const [error] = (await once(emitter, 'error')) as [Error & { code?: string }]
  return error
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

export function never(): Promise<never> {
  return new Promise(() => {})
}
