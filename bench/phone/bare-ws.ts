import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

import type { Measure } from '../bench.ts'
import { sample } from '../calls/load.ts'
import { echoDelay } from './delay.ts'

interface Frame {
  readonly event: string
  readonly streamSid: string
  readonly media: { readonly payload: string }
}

/** A server that parses every frame and echoes its sound. */
async function serve() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { event, streamSid, media } = JSON.parse(data.toString()) as Frame
      if (event === 'media')
        socket.send(JSON.stringify({ event, streamSid, media: { payload: media.payload } }))
    })
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

export const measure: Measure = async () => {
  const load = await sample('phone', serve)
  return { ...load, calls: 100 / load['cpu']!, sound: await echoDelay(await serve()) }
}
