import type { Clock, SocketEnd, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import type { TwilioCallEventDetails } from './twilio-events.ts'
import {
  FrameWriter,
  readFrame,
  type CarrierDialect,
  type CarrierMessage,
  type StreamNames,
} from './twilio-frames.ts'
import { TwilioPlayout } from './twilio-playout.ts'
import type { TwilioVoice } from './twilio-voice.ts'
import type { CarrierDial, CarrierSocket } from './twilio-wire.ts'

/** Milliseconds per frame. */
const FRAME = 20
/** Bytes of mu-law per frame. */
const FRAME_BYTES = 160

/**
 * How a call leaves its stream.
 * - `politely`: with `stop` and then a close frame, as Twilio does
 * - `without-stop`: with a close frame alone
 * - `cut`: by breaking the connection without a frame
 * - `silently`: by sending nothing more, with the socket left open
 */
export type HangUpWay = 'politely' | 'without-stop' | 'cut' | 'silently'

export interface StreamOptions {
  readonly clock: Clock
  readonly dial: CarrierDial
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly names: StreamNames
  readonly dialect: CarrierDialect
  /** How many times faster than real time the stream runs. */
  readonly speed: number
  readonly returnsMarks: boolean
  readonly voice: TwilioVoice
  readonly emit: (event: TwilioCallEventDetails) => void
  /** The caller has heard another 20 ms: this audio, which may be shorter, and then silence. */
  readonly played: (sound: Uint8Array) => void
  readonly ended: (end: SocketEnd) => void
}

/** One media stream of a call: a frame every 20 ms in each direction. */
export class TwilioStream {
  readonly name: string
  readonly playout = new TwilioPlayout()
  readonly #options: StreamOptions
  readonly #writer: FrameWriter
  readonly #socket: CarrierSocket
  #frameTimer: Timer | undefined
  #startedAt = 0
  #frames = 0
  #silent = false
  /** Whether the caller is hearing the application. */
  #speaking = false
  #ended = false

  constructor(options: StreamOptions) {
    const { dial, dialect, url, headers, names } = options
    this.name = names.stream
    this.#options = options
    this.#writer = new FrameWriter(dialect, names)
    this.#socket = dial(
      { name: `stream ${names.stream}`, url, headers },
      {
        opened: () => this.#opened(),
        message: (data) => this.#handle(data),
        ended: (end) => this.#socketEnded(end),
      },
    )
  }

  get open(): boolean {
    return this.#socket.state === 'open'
  }

  press(digit: string): void {
    this.#send({ event: 'dtmf', digit })
  }

  /** Sends any data, even what no carrier would send. */
  send(data: string | Uint8Array): void {
    this.#socket.send(data)
  }

  leave(way: HangUpWay): void {
    switch (way) {
      case 'politely':
        this.#send({ event: 'stop' })
        return this.#close()
      case 'without-stop':
        return this.#close()
      case 'cut':
        return this.cut()
      case 'silently':
        return this.goSilent()
    }
  }

  /** Breaks the connection without a frame. */
  cut(): void {
    this.#frameTimer?.clear()
    this.#socket.abort()
  }

  /** Sends nothing more, and leaves the socket open. */
  goSilent(): void {
    this.#silent = true
    this.#frameTimer?.clear()
  }

  freeze(): void {
    this.goSilent()
    this.#socket.freeze?.()
  }

  halfClose(): void {
    this.goSilent()
    this.#socket.halfClose?.()
  }

  #opened(): void {
    const { clock, emit } = this.#options
    emit({ type: 'connected', stream: this.name })
    this.#send({ event: 'connected' })
    this.#send({ event: 'start' })
    if (!this.open) return
    emit({ type: 'started', stream: this.name })
    this.#startedAt = clock.now()
    this.#runFrames()
  }

  /** Processes all due frames. The schedule counts from the start, so that a pause of the process does not add up. */
  #runFrames(): void {
    if (this.#silent || this.#ended) return
    const { clock, speed } = this.#options
    const pace = FRAME / speed
    while (this.open && !this.#silent && this.#startedAt + this.#frames * pace <= clock.now()) this.#frame()
    if (!this.open || this.#silent) return
    const next = this.#startedAt + this.#frames * pace
    this.#frameTimer = outsideTimer(clock, Math.max(0, next - clock.now()), 'a frame of the caller', () =>
      this.#runFrames(),
    )
  }

  #frame(): void {
    const { voice, played, emit } = this.#options
    const payload = Buffer.from(voice.take(FRAME_BYTES)).toString('base64')
    this.#frames++
    this.#send({ event: 'media', chunk: this.#frames, at: (this.#frames - 1) * FRAME, payload })
    const { sound, marks } = this.playout.play(FRAME_BYTES)
    if (sound.length > 0 && !this.#speaking) {
      this.#speaking = true
      emit({ type: 'speaks' })
    }
    played(sound)
    this.#returnMarks(marks)
    this.#emitIfQuiet()
  }

  #emitIfQuiet(): void {
    if (!this.#speaking || this.playout.waiting > 0) return
    this.#speaking = false
    this.#options.emit({ type: 'quiet', heard: this.playout.heard / 8 })
  }

  #handle(data: string | Uint8Array): void {
    if (this.#silent) return
    const { dialect, emit } = this.#options
    const message = readFrame(data, dialect, this.name)
    if (typeof message === 'string') emit({ type: 'misunderstood', why: message })
    else if (message.event === 'media') this.playout.push(message.payload)
    else if (message.event === 'mark') this.#returnMarks(this.playout.mark(message.name))
    else {
      emit({ type: 'cleared', unheard: this.playout.waiting / 8 })
      this.#returnMarks(this.playout.clear())
      this.#emitIfQuiet()
    }
  }

  #returnMarks(names: readonly string[]): void {
    for (const name of names) {
      if (this.#options.returnsMarks) this.#send({ event: 'mark', name })
      this.#options.emit({ type: 'mark', name })
    }
  }

  #send(message: CarrierMessage): void {
    if (!this.#silent) this.#socket.send(this.#writer.write(message))
  }

  #close(): void {
    this.#frameTimer?.clear()
    this.#socket.close(1000)
  }

  #socketEnded(end: SocketEnd): void {
    this.#ended = true
    this.#frameTimer?.clear()
    this.#options.ended(end)
  }
}
