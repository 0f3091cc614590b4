import { bytesFromSamples, sine } from '../../src/audio/index.ts'
import { decodeFrame, encodeMessage, encodeSound } from '../../src/lines/rtvi-websocket/frames.ts'
import type { PlatformSocket } from '../../src/lines/websocket/client/wire.ts'
import type { Clock, Timer } from '../../src/scope/index.ts'
import { textOf } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import type { WireEvents } from './sim-wires.ts'

/** The rate at which a client plays, and the milliseconds it renders at a time. */
const RATE = 24_000
const QUANTUM = 10

/** Milliseconds of sound per frame of a client's microphone. */
const FRAME = 16

/** What a client connects over. */
export interface ClientWires {
  connect(url: string, protocols: string[], events: WireEvents): PlatformSocket
}

/** How a transport carries messages and sound. */
export interface Carrier {
  message(json: string): string | Uint8Array<ArrayBuffer>
  sound(samples: Int16Array): Uint8Array<ArrayBuffer>
  /** Reads what has arrived: JSON, or PCM16. */
  read(data: string | Uint8Array): { readonly json: string } | { readonly sound: Uint8Array } | undefined
  /** Milliseconds between two pings of the client. Default: it sends none. */
  readonly pings?: number
}

/** `WebSocketTransport`: frames in protobuf. */
const frames: Carrier = {
  message: encodeMessage,
  sound: (samples) => encodeSound(samples, 16_000),
  read: (data) => {
    const frame = typeof data === 'string' ? undefined : decodeFrame(data)
    if (frame?.type === 'audio') return { sound: frame.bytes }
    return frame?.type === 'message' ? { json: frame.json } : undefined
  },
}

/** `SmallWebRTCTransport`, without what a thread does for it: texts are messages, and bytes are sound. */
export const dataChannel: Carrier = {
  message: (json) => json,
  sound: bytesFromSamples,
  read: (data) => (typeof data === 'string' ? { json: data } : { sound: data }),
  pings: 1_000,
}

export interface ClientOptions {
  /** Default: that of `WebSocketTransport`. */
  readonly carrier?: Carrier
  /** Milliseconds from the open socket until the client is ready. `never`: it never says so. Default: 0. */
  readonly readyAfter?: number | 'never'
  /** Milliseconds of sound that it has recorded before it was ready. Default: 0. */
  readonly recorded?: number
  /** Whether it disconnects when it gets a fatal error. Default: true. */
  readonly obeys?: boolean
}

export interface ClientMessage {
  readonly at: number
  readonly type: string
  readonly id?: string
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * An RTVI client without a browser, in the time of a given clock. It does what Pipecat's transports do: says that it is ready,
 * plays what it gets in order, disconnects after a fatal error or when the agent has left, and answers nothing by itself.
 */
export class RtviTestClient {
  readonly messages: ClientMessage[] = []
  isOpen = false
  /** How the connection ended, for the client. */
  end: { readonly code: number; readonly at: number } | undefined
  /** The sound that was played, and when. */
  readonly heard: { readonly at: number; readonly samples: Int16Array }[] = []
  /** When each piece of sound arrived, and how long it is. */
  readonly arrived: { readonly at: number; readonly ms: number }[] = []
  readonly #clock: Clock
  readonly #options: ClientOptions
  readonly #carrier: Carrier
  readonly #socket: PlatformSocket
  readonly #changes = new Changes()
  #queue: Int16Array[] = []
  #loop: Timer | undefined
  #pings: Timer | undefined
  #renderedTo = 0
  #isFrozen = false

  constructor(clock: Clock, wires: ClientWires, url: string, options: ClientOptions = {}) {
    this.#clock = clock
    this.#options = options
    this.#carrier = options.carrier ?? frames
    this.#socket = wires.connect(url, [], {
      opened: () => this.#opened(),
      message: (data) => this.#receive(typeof data === 'string' ? data : new Uint8Array(data)),
      ended: (code) => {
        this.end = { code, at: this.#clock.now() }
        this.#stop()
        this.#changes.notify()
      },
    })
  }

  /** Whether the agent is ready: what `connect()` of the real client waits for. */
  get isConnected(): boolean {
    return this.messages.some(({ type }) => type === 'bot-ready')
  }

  /** The words that were played. */
  get words(): string {
    const samples = this.heard.flatMap((each) => [...each.samples])
    return textOf([{ samples: Int16Array.from(samples.filter((sample) => sample !== 0)), sampleRate: RATE }])
  }

  all(type: string): Readonly<Record<string, unknown>>[] {
    return this.messages.filter((message) => message.type === type).map(({ data }) => data ?? {})
  }

  says(type: string, data?: object, id = 'm1'): void {
    this.sendBytes(this.#carrier.message(JSON.stringify({ label: 'rtvi-ai', type, id, data })))
  }

  sendBytes(bytes: string | Uint8Array<ArrayBuffer>): void {
    if (!this.#isFrozen) this.#socket.send(typeof bytes === 'string' ? bytes : bytes.slice().buffer)
  }

  /** Speaks: each frame is sent when it has been spoken. */
  speaks(ms: number): void {
    const begins = this.#clock.now()
    for (let at = FRAME; at <= ms; at += FRAME)
      outsideTimer(this.#clock, begins + at - this.#clock.now(), 'the caller speaks', () => this.#sendFrame())
  }

  /** `client.disconnect()`; with 1001, a tab that is closed. */
  leaves(code?: number): void {
    this.#stop()
    this.#socket.close(code)
  }

  /** Plays and answers nothing any more. */
  freezes(): void {
    this.#isFrozen = true
    this.#stop()
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** Milliseconds of sound that were played after a moment. */
  audibleAfter(moment: number): number {
    const samples = this.heard.filter(({ at }) => at > moment).flatMap(({ samples: each }) => [...each])
    return (samples.filter((sample) => sample !== 0).length * 1000) / RATE
  }

  #opened(): void {
    const { readyAfter = 0, recorded = 0 } = this.#options
    this.isOpen = true
    this.#changes.notify()
    if (readyAfter === 'never') return
    outsideTimer(this.#clock, readyAfter, 'the client is ready', () => {
      if (this.end || this.#isFrozen) return
      this.#renderedTo = this.#clock.now()
      this.#renderNext()
      this.says('client-ready', { version: '2.1.0', about: { library: 'test' } }, 'ready')
      for (let at = 0; at < recorded; at += FRAME) this.#sendFrame()
      this.#pingNext()
    })
  }

  #pingNext(): void {
    const { pings } = this.#carrier
    if (pings === undefined) return
    this.#pings = outsideTimer(this.#clock, pings, 'the client pings', () => {
      this.sendBytes(`ping: ${this.#clock.now()}`)
      this.#pingNext()
    })
  }

  #sendFrame(): void {
    this.sendBytes(this.#carrier.sound(sine(300, { sampleRate: 16_000, duration: FRAME }).samples))
  }

  #receive(data: string | Uint8Array): void {
    const read = this.#carrier.read(data)
    if (!read) return
    if ('sound' in read) {
      if (read.sound.length % 2 === 1) throw new Error('the real client would throw: an odd number of bytes')
      const samples = new Int16Array(read.sound.slice().buffer)
      this.arrived.push({ at: this.#clock.now(), ms: (samples.length * 1000) / RATE })
      this.#queue.push(samples)
      return
    }
    const message = JSON.parse(read.json) as Omit<ClientMessage, 'at'> & { message?: { type: string } }
    // A signalling message has its type inside.
    const { type } = message.message ?? message
    this.messages.push({ at: this.#clock.now(), ...message, type })
    const isFatal = type === 'error' && message.data?.['fatal'] === true
    if ((isFatal || type === 'peerLeft') && this.#options.obeys !== false) this.leaves()
    this.#changes.notify()
  }

  #renderNext(): void {
    this.#loop = outsideTimer(this.#clock, QUANTUM, 'the client plays', () => {
      this.#renderNext()
      for (; this.#renderedTo + QUANTUM <= this.#clock.now(); this.#renderedTo += QUANTUM) this.#render()
      this.#changes.notify()
    })
  }

  #render(): void {
    let wanted = (RATE * QUANTUM) / 1000
    while (wanted > 0) {
      const [first] = this.#queue
      if (!first) return
      const samples = first.subarray(0, wanted)
      this.heard.push({ at: this.#renderedTo, samples })
      wanted -= samples.length
      if (samples.length < first.length) this.#queue[0] = first.subarray(samples.length)
      else this.#queue.shift()
    }
  }

  #stop(): void {
    this.#loop?.clear()
    this.#pings?.clear()
    this.#loop = this.#pings = undefined
  }
}
