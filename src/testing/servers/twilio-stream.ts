import type { Clock, SocketEnd, Timer } from '../../scope/index.ts'
import { inTheWorld } from '../world-time.ts'
import type { TwilioCallNews } from './twilio-events.ts'
import {
  FrameWriter,
  readFrame,
  type CarrierDialect,
  type CarrierNews,
  type StreamNames,
} from './twilio-frames.ts'
import { TwilioPlayout } from './twilio-playout.ts'
import type { TwilioVoice } from './twilio-voice.ts'
import type { CarrierDial, CarrierSocket } from './twilio-wire.ts'

/** A frame, in milliseconds and in bytes of mu-law. */
const FRAME = 20
const BYTES = 160

export interface StreamOptions {
  readonly clock: Clock
  readonly dial: CarrierDial
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly names: StreamNames
  readonly dialect: CarrierDialect
  /** How many times faster than real time it runs. */
  readonly speed: number
  readonly returnsMarks: boolean
  readonly voice: TwilioVoice
  readonly told: (news: TwilioCallNews) => void
  /** 20 ms have passed at the caller's ear, with this sound in them; it may be shorter. */
  readonly ear: (sound: Uint8Array) => void
  readonly ended: (end: SocketEnd) => void
}

/** One media stream of a call: a frame each way every 20 ms, for as long as its socket lasts. */
export class TwilioStream {
  readonly name: string
  readonly playout = new TwilioPlayout()
  readonly #options: StreamOptions
  readonly #writer: FrameWriter
  readonly #socket: CarrierSocket
  #pulse: Timer | undefined
  #began = 0
  #frames = 0
  #silent = false
  #speaking = false
  #over = false

  constructor(options: StreamOptions) {
    const { dial, dialect, url, headers, names } = options
    this.name = names.stream
    this.#options = options
    this.#writer = new FrameWriter(dialect, names)
    this.#socket = dial(
      { name: `stream ${names.stream}`, url, headers },
      {
        opened: () => this.#opened(),
        message: (data) => this.#heard(data),
        ended: (end) => this.#ended(end),
      },
    )
  }

  /** The other side can be told something. */
  get open(): boolean {
    return this.#socket.state === 'open'
  }

  press(digit: string): void {
    this.#tell({ event: 'dtmf', digit })
  }

  /** Says anything: what no carrier would, for instance. */
  send(data: string | Uint8Array): void {
    this.#socket.send(data)
  }

  /** The end as a carrier makes it. */
  stop({ says }: { readonly says: boolean }): void {
    if (says) this.#tell({ event: 'stop' })
    this.#rest()
    this.#socket.close(1000)
  }

  /** The end without a frame. */
  cut(): void {
    this.#rest()
    this.#socket.abort()
  }

  /** No more media; the socket stays. */
  goSilent(): void {
    this.#silent = true
    this.#rest()
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
    const { clock, told } = this.#options
    told({ type: 'connected', stream: this.name })
    this.#tell({ event: 'connected' })
    this.#tell({ event: 'start' })
    if (!this.open) return
    told({ type: 'started', stream: this.name })
    this.#began = clock.now()
    this.#beat()
  }

  /** Keeps to the time since it began, so that a pause of the process makes it late only once. */
  #beat(): void {
    if (this.#silent || this.#over) return
    const { clock, speed } = this.#options
    const pace = FRAME / speed
    while (this.open && !this.#silent && this.#began + this.#frames * pace <= clock.now()) this.#frame()
    if (!this.open || this.#silent) return
    const next = this.#began + this.#frames * pace
    this.#pulse = inTheWorld(clock, Math.max(0, next - clock.now()), 'a frame of the caller', () =>
      this.#beat(),
    )
  }

  #frame(): void {
    const { voice, ear, told } = this.#options
    const payload = Buffer.from(voice.take(BYTES)).toString('base64')
    this.#frames++
    this.#tell({ event: 'media', chunk: this.#frames, at: (this.#frames - 1) * FRAME, payload })
    const { sound, marks } = this.playout.play(BYTES)
    if (sound.length > 0 && !this.#speaking) {
      this.#speaking = true
      told({ type: 'speaks' })
    }
    ear(sound)
    this.#marks(marks)
    this.#quietens()
  }

  #quietens(): void {
    if (!this.#speaking || this.playout.waiting > 0) return
    this.#speaking = false
    this.#options.told({ type: 'quiet', heard: this.playout.heard / 8 })
  }

  #heard(data: string | Uint8Array): void {
    if (this.#silent) return
    const { dialect, told } = this.#options
    const news = readFrame(data, dialect, this.name)
    if (typeof news === 'string') told({ type: 'misunderstood', why: news })
    else if (news.event === 'media') this.playout.push(news.payload)
    else if (news.event === 'mark') this.#marks(this.playout.mark(news.name))
    else {
      told({ type: 'cleared', unheard: this.playout.waiting / 8 })
      this.#marks(this.playout.clear())
      this.#quietens()
    }
  }

  #marks(names: readonly string[]): void {
    for (const name of names) {
      if (this.#options.returnsMarks) this.#tell({ event: 'mark', name })
      this.#options.told({ type: 'mark', name })
    }
  }

  #tell(news: CarrierNews): void {
    if (!this.#silent) this.#socket.send(this.#writer.write(news))
  }

  #rest(): void {
    this.#pulse?.clear()
  }

  #ended(end: SocketEnd): void {
    this.#over = true
    this.#rest()
    this.#options.ended(end)
  }
}
