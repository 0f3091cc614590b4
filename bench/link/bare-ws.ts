import { once } from 'node:events'
import { WebSocket } from 'ws'

import type { Measure } from '../bench.ts'
import { sample } from './sample.ts'

/** A hand-written client with the same options, which reconnects. */
export const measure: Measure = () =>
  sample(async (url, events) => {
    let closed = false
    let ws: WebSocket
    const connect = (): WebSocket => {
      const next = new WebSocket(url, { perMessageDeflate: false })
      next.on('open', () => events.ready())
      next.on('message', () => events.message())
      next.on('error', () => {})
      next.on('close', () => {
        if (!closed) ws = connect()
      })
      return next
    }
    ws = connect()
    await once(ws, 'open')
    return {
      send: (frame) => ws.send(frame),
      ask: (text) => ws.send(text),
      close: async () => {
        closed = true
        const ended = once(ws, 'close')
        ws.close()
        await ended
      },
    }
  })
