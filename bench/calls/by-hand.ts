import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

import { sine } from '../../src/audio/index.ts'
import {
  decodeVoice,
  encodeSound,
  subprotocol,
  version,
  type PageMessage,
} from '../../src/lines/websocket/protocol.ts'
import { SpeechDetector } from '../../src/providers/local/speech-detector.ts'
import type { Measure } from '../bench.ts'
import { sample, type Server } from './load.ts'
import { CHUNK, SPEECH } from './stubs.ts'

/**
 * The least that a server can do in such a call, without a session: it detects speech, holds what the agent says, and sends
 * the page a second and a half of it ahead of what was played. Nothing is checked, timed, recorded or interrupted.
 */
export const measure: Measure = (extras) => sample('line', serve, extras.includes('profile'))

const RATE = 16_000
const AHEAD = RATE * 1.5
const chunk = sine(300, { sampleRate: RATE, duration: CHUNK }).samples

async function serve(): Promise<Server> {
  const http = createServer()
  const server = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  })
  server.on('connection', (socket, { socket: tcp }) => answer(socket, tcp))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/call`,
    left: () => server.clients.size,
    close: async () => {
      server.close()
      http.close()
    },
  }
}

function answer(socket: WebSocket, tcp: Socket): void {
  const detector = new SpeechDetector(RATE)
  /** What the agent says, and where in the call it begins. */
  let speech: Int16Array[] = []
  let from = 0
  let sent = 0
  const say = (message: object): void => socket.send(JSON.stringify(message))
  const sendUntil = (played: number): void => {
    if (played >= from + speech.length * chunk.length) {
      from += speech.length * chunk.length
      speech = Array.from({ length: SPEECH / CHUNK }, () => chunk.slice())
    }
    tcp.cork()
    const end = Math.min(played + AHEAD, from + speech.length * chunk.length)
    for (; sent < end; sent += chunk.length)
      socket.send(encodeSound(speech[Math.floor((sent - from) / chunk.length)]!))
    process.nextTick(() => tcp.uncork())
  }
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return void detector.push(decodeVoice(data))
    const message = JSON.parse(data.toString()) as PageMessage
    if (message.type === 'hang-up') return socket.close(1000)
    if (message.type === 'ready') say({ type: 'from', at: 0 })
    if (message.type === 'ready') return sendUntil(0)
    if (message.type === 'played') return sendUntil(message.at)
  })
  socket.on('error', () => {})
  say({ type: 'hello', version, generation: 1, sampleRate: RATE })
}
