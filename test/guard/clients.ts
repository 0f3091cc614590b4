import { once } from 'node:events'
import { request } from 'node:http'
import { connect, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import type { FarSide } from './far-side.ts'

/** Every way in which a framework opens a connection that then stays. */
export const clients: Readonly<Record<string, (far: FarSide) => Promise<unknown>>> = {
  net: async ({ port }) =>
    once(
      connect(port, '127.0.0.1').on('error', () => {}),
      'connect',
    ),
  'a socket made by hand': async ({ port }) =>
    once(new Socket().connect({ port, host: '127.0.0.1' }), 'connect'),
  tls: async (far) => {
    const { total } = far
    // Nobody there speaks TLS: the connection stands, and its handshake does not get on.
    connectTls({ port: far.port, host: '127.0.0.1' }).on('error', () => {})
    await far.until(() => far.total > total)
  },
  ws: ({ ws }) => openWebSocket(ws),
  http: async (far) => {
    const { slow } = far
    request(`${far.http}/slow`)
      .on('error', () => {})
      .end()
    await far.until(() => far.slow > slow)
  },
  fetch: async (far) => {
    const { slow } = far
    fetch(`${far.http}/slow`).catch(() => {})
    await far.until(() => far.slow > slow)
  },
}

export async function openWebSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

/** The error that an emitter ends with. */
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
