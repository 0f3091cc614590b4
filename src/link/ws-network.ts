import type { RawData, WebSocket } from 'ws'
import {
  Registry,
  origin,
  type DialRequest,
  type Live,
  type Network,
  type Socket,
  type SocketEnd,
  type SocketEvents,
} from '../scope/index.ts'
import { limits } from './limits.ts'

/**
 * Loading `ws` is a third of the cost of importing endwell, so the first dial does it. Sockets that are dialled later are
 * created at once.
 */
let library: typeof import('ws') | undefined

/** The real network: WebSockets from `ws`. No other code of endwell opens one. */
export const wsNetwork: Network = {
  sockets: new Registry(),
  dial: (request, events) => new WsSocket(wsNetwork.sockets, request, events),
}

/** Reports what a link dials, and how each socket ended, before the link hears of it. */
export interface NetworkWatcher {
  dialled(request: DialRequest): void
  ended(end: SocketEnd): void
}

/** The real network, watched for a diagnosis. */
export function watchedNetwork(watcher: NetworkWatcher): Network {
  const { sockets } = wsNetwork
  return {
    sockets,
    dial: (request, events) => {
      watcher.dialled(request)
      return new WsSocket(sockets, request, {
        opened: () => events.opened(),
        message: (data) => events.message(data),
        alive: () => events.alive?.(),
        ended: (end) => {
          watcher.ended(end)
          events.ended(end)
        },
      })
    },
  }
}

/**
 * Compression is off: audio does not shrink, and each socket would use more memory. UTF-8 validation stays on: it is
 * cheap, and corrupt text must not become a transcript. There is no handshake timeout, because links have one that also
 * covers the setup. Pings are answered below, because `ws` would buffer pongs without a limit for a peer that only sends.
 */
const options = {
  perMessageDeflate: false,
  maxPayload: limits.payload,
  closeTimeout: limits.closeFrame,
  autoPong: false,
} as const

const states = ['connecting', 'open', 'closing', 'ended'] as const

class WsSocket implements Socket, Live {
  readonly kind = 'socket'
  readonly name: string
  readonly origin = origin()
  readonly #registry: Registry
  readonly #events: SocketEvents
  /** Unset until `ws` is loaded, and if the request is invalid. */
  #ws: WebSocket | undefined
  #opened = false
  #aborted = false
  #ended = false
  #status: number | undefined
  /** What went wrong, without addresses or secrets. */
  #problem: string | undefined

  constructor(registry: Registry, request: DialRequest, events: SocketEvents) {
    this.name = request.name
    this.#registry = registry
    this.#events = events
    registry.add(this)
    if (library) this.#ws = this.#dial(library, request)
    else this.#load(request).catch((error: unknown) => this.#fail(String(error)))
  }

  get state(): Socket['state'] {
    if (this.#ended || this.#aborted) return 'ended'
    return states[this.#ws?.readyState ?? 0]
  }

  get buffered(): number {
    return this.#ws?.bufferedAmount ?? 0
  }

  send(data: string | Uint8Array): void {
    if (this.#isOpen()) this.#ws?.send(data)
  }

  ping(): void {
    if (this.#isOpen()) this.#ws?.ping()
  }

  close(code = 1000, reason = ''): void {
    if (this.state === 'connecting') return this.abort()
    if (this.state !== 'open') return
    try {
      this.#ws?.close(code, reason)
    } catch {
      // A code that must not be sent, or a reason that is too long for a frame: close without them.
      this.#ws?.close(1000)
    }
  }

  abort(): void {
    if (this.state === 'ended') return
    this.#aborted = true
    this.#registry.remove(this)
    // In every state, a `close` event follows and emits `ended`. Before `ws` is loaded, `#load` does so.
    this.#ws?.terminate()
  }

  #isOpen(): boolean {
    return states[this.#ws?.readyState ?? 0] === 'open'
  }

  async #load(request: DialRequest): Promise<void> {
    library = await import('ws')
    if (this.#aborted) this.#end(1006)
    else this.#ws = this.#dial(library, request)
  }

  #dial({ WebSocket }: typeof import('ws'), request: DialRequest): WebSocket | undefined {
    const { url, headers, protocols } = request
    try {
      const ws = new WebSocket(url, protocols ? [...protocols] : [], { ...options, headers: { ...headers } })
      ws.on('open', () => this.#open())
      ws.on('message', (data, isBinary) => this.#message(data, isBinary))
      ws.on('ping', (data) => {
        if (this.#isOpen() && this.buffered <= limits.congested) ws.pong(data)
        this.#alive()
      })
      ws.on('pong', () => this.#alive())
      ws.on('unexpected-response', (_, response) => {
        this.#status = response.statusCode
        ws.terminate()
      })
      // Never removed: `ws` may emit an error after the end, which would crash the process.
      ws.on('error', (error) => (this.#problem ??= describe(error)))
      ws.on('close', (code, reason) => this.#end(code, reason))
      return ws
    } catch {
      // An invalid address, header or subprotocol. The error's message may contain the address, and so a key.
      queueMicrotask(() => this.#fail('invalid request'))
      return undefined
    }
  }

  #fail(problem: string): void {
    this.#problem = problem
    this.#end(1006)
  }

  #open(): void {
    this.#opened = true
    this.#events.opened()
  }

  #message(data: RawData, isBinary: boolean): void {
    // `ws` still emits messages that arrived together with the one that made us abort.
    if (this.#aborted) return
    this.#events.message(isBinary ? (data as Buffer) : (data as Buffer).toString())
  }

  #alive(): void {
    if (!this.#aborted) this.#events.alive?.()
  }

  #end(code: number, reason?: Buffer): void {
    if (this.#ended) return
    this.#ended = true
    this.#registry.remove(this)
    this.#events.ended(this.#how(code, reason?.toString() ?? ''))
  }

  #how(code: number, reason: string): SocketEnd {
    if (this.#aborted) return { how: 'aborted' }
    const why = reason || this.#problem
    const words = why ? { reason: why } : {}
    if (this.#opened) return { how: code === 1006 ? 'dropped' : 'closed', code, ...words }
    return { how: 'refused', ...(this.#status === undefined ? words : { status: this.#status }) }
  }
}

/** Neither the code of a system error nor the message of a `ws` error contains the address. */
function describe(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
