import {
  closeCodes,
  decodeVoice,
  isRefusal,
  offer,
  version,
  type ByeReason,
  type LineMessage,
  type PageMessage,
  type Ticket,
  type TranscriptMessage,
} from '../protocol.ts'

/** What the wire needs from the browser. A test can replace it. */
export interface Platform {
  /** Starts to open a WebSocket. `ended` is called exactly once and last, also if the connection fails. */
  connect(url: string, protocols: string[], events: PlatformEvents): PlatformSocket
  /** Calls back once. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void
  /** A random number from 0 (inclusive) to 1 (exclusive). */
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
 * Why a call ended: `hung-up` by this page; `ended` by the session, with the code `CALL_GONE` if that happened while this
 * page was cut off; `unanswered` or `closing` by the server; `replaced` by another page; `refused` by the server, with a
 * code; `lost` if the server cannot be reached.
 */
export interface CallEnd {
  readonly reason: ByeReason | 'replaced' | 'refused' | 'lost'
  /** The code of a refusal: `TOKEN_EXPIRED`, `BUSY`, … Or `CALL_GONE`. */
  readonly code?: string
}

export type Hello = LineMessage & { readonly type: 'hello' }

export interface WireEvents {
  /** The line said hello and waits for `ready()`. */
  joined(hello: Hello): void
  sound(position: number, samples: Int16Array<ArrayBuffer>): void
  mark(id: number, at: number): void
  clear(at: number): void
  transcript?(message: TranscriptMessage): void
  rejoining(): void
  /** Called once, last. */
  ended(end: CallEnd): void
}

export interface WireOptions {
  readonly url: string
  readonly token?: string | undefined
  readonly ticket?: Ticket | undefined
}

/** Milliseconds per connection attempt: by itself, a browser would wait for minutes. */
const DIAL_TIMEOUT = 10_000
const FIRST_BACKOFF = 250
const LONGEST_BACKOFF = 2_000

/**
 * The page's end of a call, over as many sockets as it takes.
 *
 *   idle ─ connect() ─▶ dialling ─ hello ─▶ live ─ cut ─▶ rejoining ─ hello ─▶ live …
 *                          │                 │              │ rejoinWithin has passed
 *                          └── refused ──────┴── bye ───────┴──────▶ ended
 *
 * `hangUp()` sets the state to ended before it sends anything, so that no event of a socket or timer can revive it.
 */
export class Wire {
  readonly #platform: Platform
  readonly #options: WireOptions
  readonly #events: WireEvents
  #state: 'idle' | 'dialling' | 'live' | 'rejoining' | 'ended' = 'idle'
  #ticket: Ticket | undefined
  #socket: PlatformSocket | undefined
  #rejoinWithin = 0
  #attempts = 0
  /** Whether the line said hello on this socket and was not answered yet. */
  #greeted = false
  #alive = false
  /** Where the next sound of this socket begins. */
  #position = 0
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

  /** Rejoins this call from a page that is loaded later. */
  get ticket(): Ticket | undefined {
    return this.#state === 'ended' ? undefined : this.#ticket
  }

  connect(): void {
    if (this.#state !== 'idle') return
    this.#state = 'dialling'
    this.#dial()
  }

  /** The page is ready to play sound. */
  ready(place: { readonly sound: boolean; readonly played?: number; readonly buffered?: number }): void {
    if (!this.#greeted || !this.#ticket) return
    this.#greeted = false
    this.send({ type: 'ready', generation: this.#ticket.generation, ...place })
  }

  send(message: PageMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }

  sendSound(samples: Int16Array<ArrayBuffer>): void {
    // Before the call is answered, and while it is cut, there is no listener: as on a telephone, this is lost.
    if (this.#state === 'live') this.#socket?.send(encodeVoice(samples))
  }

  /** Ends the call for good. */
  hangUp(): void {
    if (this.#state === 'ended') return
    const socket = this.#socket
    this.#end({ reason: 'hung-up' }, () => {
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
      const samples = decodeVoice(new Uint8Array(data))
      const position = this.#position
      this.#position += samples.length
      return this.#events.sound(position, samples)
    }
    const message = readMessage(data)
    switch (message?.type) {
      case 'hello':
        return this.#hello(message)
      case 'mark':
        return this.#events.mark(message.id, message.at)
      case 'from':
        this.#position = message.at
        return undefined
      case 'clear':
        return this.#events.clear(message.at)
      case 'transcript':
        return this.#events.transcript?.(message)
      case 'ping':
        return this.send({ type: 'pong' })
      case 'bye':
        return this.#bye(message.reason)
      case undefined:
        return undefined
    }
  }

  #hello(hello: Hello): void {
    if (hello.version !== version) return this.#end({ reason: 'refused', code: 'VERSION_UNKNOWN' })
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

  /** Cuts the connection if the line stays silent for `patience` milliseconds, whatever the browser believes. */
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
    this.#end({ reason }, () => socket?.close(closeCodes.bye))
  }

  /** Gives up the socket without waiting for the browser to notice that it is dead. */
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
    if (code === closeCodes.replaced) return this.#end({ reason: 'replaced' })
    // The page rejoined a call that ended while it was away: nothing was refused.
    if (reason === 'CALL_GONE') return this.#end({ reason: 'ended', code: reason })
    if (isRefusal(code)) return this.#end({ reason: 'refused', code: reason })
    if (this.#state === 'dialling') return this.#end({ reason: 'lost' })
    if (this.#state === 'live') this.#startRejoining()
    // A listener of `rejoining` may have hung up.
    if (this.#hasEnded()) return
    const wait = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (this.#attempts - 1))
    // The first attempt starts at once, since most cuts are short.
    const delay = this.#attempts === 0 ? 0 : wait * (0.5 + this.#platform.random() / 2)
    this.#attempts++
    this.#attempt = this.#platform.after(delay, () => this.#dial())
  }

  #hasEnded(): boolean {
    return this.#state === 'ended'
  }

  #startRejoining(): void {
    this.#state = 'rejoining'
    this.#giveUp = this.#platform.after(this.#rejoinWithin, () => {
      const socket = this.#socket
      this.#end({ reason: 'lost' }, () => socket?.close())
    })
    this.#events.rejoining()
  }

  #end(end: CallEnd, last: () => void = noop): void {
    this.#state = 'ended'
    this.#socket = undefined
    this.#attempt()
    this.#watch()
    this.#giveUp()
    last()
    this.#events.ended(end)
  }
}

/** Reads a message of the line. Trusts the server that the page has dialled, and ignores what is not JSON. */
function readMessage(json: string): LineMessage | undefined {
  try {
    return JSON.parse(json) as LineMessage
  } catch {
    return undefined
  }
}

/** Samples as little-endian PCM16. */
function encodeVoice(samples: Int16Array): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * 2))
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true)
  return view.buffer
}

function noop(): void {}
