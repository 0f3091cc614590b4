import type { Socket as TcpSocket } from 'node:net'
import { WebSocket, type RawData } from 'ws'
import { noop, type DialRequest, type Socket, type SocketEnd, type SocketEvents } from '../../scope/index.ts'

/** A socket that can also misbehave below the WebSocket protocol. */
export interface CarrierSocket extends Socket {
  /** From now on reads and sends nothing, not even answers to pings, and reports no error. */
  freeze?(): void
  /** Ends its own direction of the TCP connection without a close frame, and keeps reading. */
  halfClose?(): void
}

/** Opens a media stream. On a simulated network: `network.dial(request, events)`. */
export type CarrierDial = (request: DialRequest, events: SocketEvents) => CarrierSocket

/** Dials over a real socket, which the registry of the code under test does not count. */
export const dialAsCarrier: CarrierDial = (request, events) => new Wire(request, events)

const states = ['connecting', 'open', 'closing', 'ended'] as const

/** How long to wait for the other side's close frame before the connection is cut. */
const CLOSE_TIMEOUT = 2_000

class Wire implements CarrierSocket {
  readonly #ws: WebSocket
  #tcp: TcpSocket | undefined
  #opened = false
  #aborted = false
  #frozen = false
  #status: number | undefined

  constructor({ url, headers, protocols }: DialRequest, events: SocketEvents) {
    const options = { perMessageDeflate: false, closeTimeout: CLOSE_TIMEOUT, headers: { ...headers } }
    const ws = new WebSocket(url, protocols ? [...protocols] : [], options)
    this.#ws = ws
    ws.on('upgrade', (response) => (this.#tcp = response.socket))
    ws.on('open', () => {
      this.#opened = true
      events.opened()
    })
    ws.on('message', (data: RawData, isBinary) => {
      if (!this.#aborted) events.message(isBinary ? (data as Buffer) : (data as Buffer).toString())
    })
    ws.on('pong', () => {
      if (!this.#aborted) events.alive?.()
    })
    ws.on('unexpected-response', (_, response) => {
      this.#status = response.statusCode
      ws.terminate()
    })
    ws.on('error', noop)
    ws.on('close', (code, reason) => events.ended(this.#endOf(code, reason.toString())))
  }

  get state(): Socket['state'] {
    return this.#aborted ? 'ended' : states[this.#ws.readyState]
  }

  get buffered(): number {
    return this.#ws.bufferedAmount
  }

  send(data: string | Uint8Array): void {
    if (!this.#frozen && this.#ws.readyState === WebSocket.OPEN) this.#ws.send(data)
  }

  ping(): void {
    if (!this.#frozen && this.#ws.readyState === WebSocket.OPEN) this.#ws.ping()
  }

  close(code = 1000, reason = ''): void {
    if (this.state === 'connecting') this.abort()
    else if (this.state === 'open' && !this.#frozen) this.#ws.close(code, reason)
  }

  abort(): void {
    this.#aborted = true
    this.#ws.terminate()
  }

  freeze(): void {
    this.#frozen = true
    this.#ws.pause()
  }

  halfClose(): void {
    this.#frozen = true
    this.#tcp?.end()
  }

  #endOf(code: number, reason: string): SocketEnd {
    if (this.#aborted) return { how: 'aborted' }
    if (!this.#opened)
      return { how: 'refused', ...(this.#status === undefined ? {} : { status: this.#status }) }
    return { how: code === 1006 ? 'dropped' : 'closed', code, reason }
  }
}
