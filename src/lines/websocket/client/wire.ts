import {
  closeCodes,
  decodeSound,
  isRefusal,
  offer,
  readLineMessage,
  version,
  type ByeReason,
  type LineMessage,
  type PageMessage,
  type Ticket,
} from '../protocol.ts'

/** What the wire needs of the browser, so that a test can stand in for it. */
export interface Platform {
  /** Begins to open a WebSocket. Exactly one `ended` comes last, also if it was never made. */
  connect(url: string, protocols: string[], events: PlatformEvents): PlatformSocket
  /** Calls back once. Returns the way to call it off. */
  after(ms: number, callback: () => void): () => void
  /** From 0 up to, but never, 1. */
  random(): number
}

export interface PlatformEvents {
  message(data: string | ArrayBuffer): void
  ended(code: number, reason: string): void
}

export interface PlatformSocket {
  /** Does nothing unless open. */
  send(data: string | ArrayBuffer): void
  close(code?: number, reason?: string): void
}

/**
 * Why a call is over: `hung-up` here; `ended` by the session; `unanswered`, `closing` by the server; `replaced` by
 * another page; `refused` with a code; `lost` if the server cannot be reached.
 */
export interface CallEnd {
  readonly reason: ByeReason | 'replaced' | 'refused' | 'lost'
  /** The code of a refusal: `TOKEN_EXPIRED`, `BUSY`, … */
  readonly code?: string
}

export type Hello = LineMessage & { readonly type: 'hello' }

export interface WireEvents {
  /** The line says hello, and waits for `ready()`. */
  joined(hello: Hello): void
  sound(position: number, samples: Int16Array<ArrayBuffer>): void
  mark(id: number, at: number): void
  clear(at: number): void
  rejoining(): void
  /** Comes once, last. */
  ended(end: CallEnd): void
}

export interface WireOptions {
  readonly url: string
  readonly token?: string | undefined
  readonly ticket?: Ticket | undefined
}

/** How long one attempt may take: a browser alone would wait for minutes. */
const DIAL_TIMEOUT = 10_000
const FIRST_BACKOFF = 250
const LONGEST_BACKOFF = 2_000

/**
 * The connection of a call, over as many sockets as it takes.
 *
 *   idle ─ connect() ─▶ dialling ─ hello ─▶ live ─ cut ─▶ rejoining ─ hello ─▶ live …
 *                          │                 │              │ rejoinWithin is over
 *                          └── refused ──────┴── bye ───────┴──────▶ over
 *
 * `hangUp()` makes it over before it sends anything: from there no event of a socket or timer leads back (intent first).
 */
export class Wire {
  readonly #platform: Platform
  readonly #options: WireOptions
  readonly #events: WireEvents
  #state: 'idle' | 'dialling' | 'live' | 'rejoining' | 'over' = 'idle'
  #ticket: Ticket | undefined
  #socket: PlatformSocket | undefined
  #rejoinWithin = 0
  #attempts = 0
  /** Whether the line has said hello on this socket, and has not been answered. */
  #greeted = false
  #alive = false
  #attempt: () => void = noop
  #watch: () => void = noop
  #giveUp: () => void = noop

  constructor(platform: Platform, options: WireOptions, events: WireEvents) {
    this.#platform = platform
    this.#options = options
    this.#ticket = options.ticket
    this.#events = events
  }

  /** Names the call, once the line has said hello. */
  get call(): string | undefined {
    return this.#ticket?.call
  }

  /** The way back into this call, for a page that is loaded anew. */
  get ticket(): Ticket | undefined {
    return this.#state === 'over' ? undefined : this.#ticket
  }

  connect(): void {
    if (this.#state !== 'idle') return
    this.#state = 'dialling'
    this.#dial()
  }

  /** The page can play: sound may come. */
  ready(place: { readonly sound: boolean; readonly played?: number; readonly buffered?: number }): void {
    if (!this.#greeted || !this.#ticket) return
    this.#greeted = false
    this.send({ type: 'ready', generation: this.#ticket.generation, ...place })
  }

  send(message: PageMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }

  sendSound(samples: Int16Array<ArrayBuffer>): void {
    // While nobody has answered, or nobody is there, nobody listens: what is said then is lost, as on a telephone.
    if (this.#state === 'live') this.#socket?.send(littleEndian(samples))
  }

  /** Ends the call, for good. */
  hangUp(): void {
    if (this.#state === 'over') return
    const socket = this.#socket
    this.#over({ reason: 'hung-up' }, () => {
      socket?.send(JSON.stringify({ type: 'hang-up' } satisfies PageMessage))
      socket?.close(closeCodes.bye, 'hung-up')
    })
  }

  #dial(): void {
    const { url, token } = this.#options
    const socket = this.#platform.connect(url, offer({ token, ticket: this.#ticket }), {
      message: (data) => {
        if (this.#socket === socket) this.#message(data)
      },
      ended: (code, reason) => {
        if (this.#socket === socket) this.#ended(code, reason)
      },
    })
    this.#socket = socket
    this.#attempt()
    this.#attempt = this.#platform.after(DIAL_TIMEOUT, () => this.#cut())
  }

  #message(data: string | ArrayBuffer): void {
    this.#alive = true
    if (typeof data !== 'string') {
      const { position, samples } = decodeSound(data)
      return this.#events.sound(position, samples)
    }
    const message = readLineMessage(data)
    switch (message?.type) {
      case 'hello':
        return this.#hello(message)
      case 'mark':
        return this.#events.mark(message.id, message.at)
      case 'clear':
        return this.#events.clear(message.at)
      case 'ping':
        return this.send({ type: 'pong' })
      case 'bye':
        return this.#bye(message.reason)
      case undefined:
        return undefined
    }
  }

  #hello(hello: Hello): void {
    if (hello.version !== version) return this.#over({ reason: 'refused', code: 'VERSION_UNKNOWN' })
    const { call, key, generation, rejoinWithin, pingEvery } = hello
    this.#state = 'live'
    this.#ticket = { call, key, generation }
    this.#rejoinWithin = rejoinWithin
    this.#attempts = 0
    this.#attempt()
    this.#giveUp()
    this.#greeted = true
    this.#listen(2.5 * pingEvery)
    return this.#events.joined(hello)
  }

  /** A line that says nothing for so long is not there, whatever the browser believes. */
  #listen(patience: number): void {
    this.#alive = false
    this.#watch()
    this.#watch = this.#platform.after(patience, () => {
      if (this.#alive) this.#listen(patience)
      else this.#cut()
    })
  }

  #bye(reason: ByeReason): void {
    const socket = this.#socket
    this.#over({ reason }, () => socket?.close(closeCodes.bye))
  }

  /** Gives the socket up without waiting for the browser to notice. */
  #cut(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    this.#ended(1006, '')
  }

  #ended(code: number, reason: string): void {
    this.#socket = undefined
    this.#greeted = false
    this.#watch()
    this.#attempt()
    if (code === closeCodes.replaced) return this.#over({ reason: 'replaced' })
    if (isRefusal(code)) return this.#over({ reason: 'refused', code: reason })
    if (this.#state === 'dialling') return this.#over({ reason: 'lost' })
    if (this.#state === 'live') this.#startRejoining()
    // By a listener who was just told.
    if (this.#isOver()) return
    const wait = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (this.#attempts - 1))
    // The first one at once: most cuts are short.
    const delay = this.#attempts === 0 ? 0 : wait * (0.5 + this.#platform.random() / 2)
    this.#attempts++
    this.#attempt = this.#platform.after(delay, () => this.#dial())
  }

  #isOver(): boolean {
    return this.#state === 'over'
  }

  #startRejoining(): void {
    this.#state = 'rejoining'
    this.#giveUp = this.#platform.after(this.#rejoinWithin, () => {
      const socket = this.#socket
      this.#over({ reason: 'lost' }, () => socket?.close())
    })
    this.#events.rejoining()
  }

  #over(end: CallEnd, last: () => void = noop): void {
    this.#state = 'over'
    this.#socket = undefined
    this.#attempt()
    this.#watch()
    this.#giveUp()
    last()
    this.#events.ended(end)
  }
}

/** The samples as PCM16 is sent: nearly every machine has them in this order already. */
function littleEndian(samples: Int16Array<ArrayBuffer>): ArrayBuffer {
  const bytes = new ArrayBuffer(samples.length * 2)
  const view = new DataView(bytes)
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true)
  return bytes
}

function noop(): void {}
