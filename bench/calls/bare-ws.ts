import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

import type { Measure } from '../bench.ts'
import { sample, type Server } from './load.ts'

/** A server that echoes every frame. */
export const measure: Measure = (extras) => sample('echo', serve, extras.includes('profile'))

async function serve(): Promise<Server> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(data))
    socket.on('error', () => {})
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    left: () => server.clients.size,
    close: async () => {
      server.close()
    },
  }
}
