import { sine, encodeMuLaw } from '../../src/audio/index.ts'
import type { Platform, PlatformSocket } from '../../src/lines/websocket/client/wire.ts'
import type { Clock, Timer } from '../../src/scope/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'
import { wordsInCodes } from './phone-sound.ts'

/** Milliseconds per frame. */
const FRAME = 20
const FRAME_BYTES = FRAME * 8
const SILENCE = 0xff
/** How often a carrier asks how to continue a call. */
const MOST_TRIES = 40

/** Posts a form to a webhook. Rejects if there is no answer. */
export type Post = (
  path: string,
  form: Readonly<Record<string, string>>,
) => Promise<{ status: number; body: string }>

export interface PhoneOptions {
  /** The name of the call. */
  readonly sid?: string
  /** Whether marks come back. Default: true. */
  readonly marks?: boolean
  /** Whether the carrier reports the end of the call to `/status`. Default: false. */
  readonly status?: boolean
  /** Field names of the messages. Default: `twilio`. */
  readonly dialect?: 'twilio' | 'telnyx'
}

type Queued = { readonly bytes: Uint8Array } | { readonly mark: string }

let phones = 0

/** A caller and a carrier, in the time of a given clock. Written from Twilio's documentation, not from our code. */
export class TestPhone {
  readonly sid: string
  /** The sound that was heard, in mu-law, and when. */
  readonly heard: { readonly at: number; readonly codes: Uint8Array }[] = []
  readonly documents: string[] = []
  /** How many streams were opened. */
  streams = 0
  over = false
  /** Messages of the line that no carrier would understand. */
  readonly nonsense: string[] = []
  readonly #clock: Clock
  readonly #platform: Platform
  readonly #post: Post
  readonly #options: PhoneOptions
  readonly #looks = new Set<() => void>()
  readonly #closed = new Set<PlatformSocket | undefined>()
  #socket: PlatformSocket | undefined
  #queue: Queued[] = []
  #loop: Timer | undefined
  #renderedTo = 0
  /** When sound arrived in the empty queue. */
  #playsFrom = 0
  #frozen = false
  #voice: Uint8Array[] = []
  #sequence = 0
  #tries = 0

  constructor(clock: Clock, platform: Platform, post: Post, options: PhoneOptions = {}) {
    this.#clock = clock
    this.#platform = platform
    this.#post = post
    this.#options = options
    this.sid = options.sid ?? `CA${String(++phones).padStart(32, '0')}`
  }

  /** Whether its stream is connected, or being connected. */
  get connected(): boolean {
    return this.#socket !== undefined
  }

  /** Whether its stream has sent `start`. */
  get started(): boolean {
    return this.#loop !== undefined
  }

  get words(): string {
    return wordsInCodes(this.heard.flatMap(({ codes }) => [...codes]))
  }

  // ── the caller ──

  /** Places the call, and does what the webhook says. */
  async rings(): Promise<void> {
    await this.#obey(await this.#askWebhook('ringing'))
  }

  /** Opens a stream of the call, with or without a webhook. */
  streamsTo(url: string, parameters: Record<string, string> = {}): void {
    let socket: PlatformSocket | undefined
    const queue: Queued[] = []
    const stream = `MZ${++this.streams}`
    socket = this.#platform.connect(url, [], {
      message: (data) => this.#hear(typeof data === 'string' ? data : '{}', queue),
      ended: () => {
        this.#closed.add(socket)
        this.#changed()
        if (this.#socket !== socket) return
        this.#socket = undefined
        this.#queue = []
        this.#changed()
        if (!this.over && !this.#frozen) this.#continue()
      },
    })
    this.#socket = socket
    this.#queue = queue
    outsideTimer(this.#clock, 2, 'a stream starts', () => this.#starts(socket, stream, parameters))
  }

  /** Opens another stream of the same call. The old one can still send until it is closed. */
  replacesStream(url: string): { says(): void; readonly closed: Promise<void> } {
    const old = this.#socket
    const loud = Buffer.from(encodeMuLaw(sine(300, { sampleRate: 8_000, duration: FRAME }).samples))
    const frame = { event: 'media', ...this.#names(), media: { payload: loud.toString('base64') } }
    this.streamsTo(url)
    return { says: () => old?.send(JSON.stringify(frame)), closed: this.until(() => this.#closed.has(old)) }
  }

  says(ms: number): void {
    for (let at = 0; at < ms; at += FRAME)
      this.#voice.push(encodeMuLaw(sine(300, { sampleRate: 8_000, duration: FRAME }).samples))
  }

  presses(digits: string): void {
    for (const digit of digits) this.send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } })
  }

  hangsUp(): void {
    this.send({ event: 'stop', stop: { callSid: this.sid, call_control_id: this.sid } })
    this.#socket?.close(1000)
    this.#ends()
  }

  /** Goes silent: no more sound comes, and nothing is closed. */
  vanishes(): void {
    this.#frozen = true
    this.#stop()
  }

  /** The carrier reports a status to `/status`. */
  async reportsStatus(CallStatus = 'completed'): Promise<{ status: number; body: string }> {
    return await this.#post('/phone/status', { CallSid: this.sid, CallStatus })
  }

  // ── waiting ──

  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#looks.delete(look)
        resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  /** Milliseconds of sound that were heard after a moment. */
  audibleAfter(moment: number): number {
    const codes = this.heard.filter(({ at }) => at > moment).flatMap((each) => [...each.codes])
    return codes.filter((code) => code !== SILENCE && code !== 0x7f).length / 8
  }

  // ── the carrier ──

  send(frame: object): void {
    this.sendText(JSON.stringify({ ...frame, ...this.#names(), ...this.#number() }))
  }

  sendText(text: string): void {
    if (!this.#frozen) this.#socket?.send(text)
  }

  sendBytes(bytes: Uint8Array): void {
    if (!this.#frozen) this.#socket?.send(bytes.slice().buffer)
  }

  #names(): object {
    return this.#options.dialect === 'telnyx'
      ? { stream_id: `MZ${this.streams}` }
      : { streamSid: `MZ${this.streams}` }
  }

  #number(): object {
    const number = String(++this.#sequence)
    return this.#options.dialect === 'telnyx' ? { sequence_number: number } : { sequenceNumber: number }
  }

  #starts(socket: PlatformSocket | undefined, stream: string, parameters: Record<string, string>): void {
    if (this.#socket !== socket || this.#frozen) return
    this.#socket?.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }))
    const start =
      this.#options.dialect === 'telnyx'
        ? {
            user_id: 'user',
            call_control_id: this.sid,
            custom_parameters: parameters,
            media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
          }
        : {
            accountSid: 'AC1',
            streamSid: stream,
            callSid: this.sid,
            tracks: ['inbound'],
            customParameters: parameters,
            mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          }
    this.send({ event: 'start', start })
    if (this.#loop) return
    this.#renderedTo = this.#clock.now()
    this.#renderNext()
  }

  async #askWebhook(status: string): Promise<string> {
    const form = {
      CallSid: this.sid,
      AccountSid: 'AC1',
      From: '+15550100',
      To: '+15550199',
      CallStatus: status,
    }
    const { status: code, body } = await this.#post('/phone/answer', form)
    this.documents.push(body)
    return code === 200 ? body : ''
  }

  async #obey(document: string): Promise<void> {
    const [, url] = /<Stream url="([^"]+)"/.exec(document) ?? []
    const parameters = [...document.matchAll(/<Parameter name="([^"]+)" value="([^"]*)"/g)]
    if (this.over) return
    if (url === undefined) this.#ends()
    else this.streamsTo(url, Object.fromEntries(parameters.map(([, name, value]) => [name!, value!])))
  }

  /** The stream has ended and the call has not: asks how to continue. */
  #continue(): void {
    if (++this.#tries > MOST_TRIES) return this.#ends()
    outsideTimer(this.#clock, this.#tries > 1 ? 200 : 20, 'the carrier asks how to continue', () => {
      if (this.over || this.#frozen || this.#socket) return
      this.#askWebhook('in-progress').then(
        (document) => this.#obey(document),
        () => this.#continue(),
      )
    })
  }

  #ends(): void {
    if (this.over) return
    this.over = true
    this.#stop()
    this.#changed()
    if (this.#options.status) this.reportsStatus().catch(() => {})
  }

  #hear(text: string, queue: Queued[]): void {
    const frame = JSON.parse(text) as {
      event: string
      streamSid?: string
      media?: { payload: string }
      mark?: { name: string }
    }
    if (this.#options.dialect !== 'telnyx' && frame.streamSid === undefined) this.nonsense.push(text)
    if (frame.event === 'media' && frame.media) {
      if (queue.length === 0) this.#playsFrom = this.#clock.now()
      queue.push({ bytes: Buffer.from(frame.media.payload, 'base64') })
    } else if (frame.event === 'mark' && frame.mark) queue.push({ mark: frame.mark.name })
    else if (frame.event === 'clear') for (const each of queue.splice(0)) this.#returns(each)
    else this.nonsense.push(text)
    // A mark with no sound before it comes back at once.
    while (queue[0] && 'mark' in queue[0]) this.#returns(queue.shift()!)
  }

  #returns(queued: Queued): void {
    if ('mark' in queued && this.#options.marks !== false)
      this.send({ event: 'mark', mark: { name: queued.mark } })
  }

  #renderNext(): void {
    this.#loop = outsideTimer(this.#clock, FRAME, 'the carrier sends a frame', () => {
      this.#renderNext()
      // Timers of a real clock are late; a telephone is not.
      for (; this.#renderedTo + FRAME <= this.#clock.now(); this.#renderedTo += FRAME) this.#render()
      this.#changed()
    })
  }

  #render(): void {
    if (!this.#socket) return
    const voice = this.#voice.shift() ?? new Uint8Array(FRAME_BYTES).fill(SILENCE)
    this.send({ event: 'media', media: { track: 'inbound', payload: Buffer.from(voice).toString('base64') } })
    // A frame that began before the sound arrived cannot contain it, however late the frame is rendered.
    if (this.#renderedTo < this.#playsFrom) return
    const codes: number[] = []
    while (codes.length < FRAME_BYTES && this.#queue.length > 0) {
      const next = this.#queue.shift()!
      if ('mark' in next) this.#returns(next)
      else {
        const left = FRAME_BYTES - codes.length
        codes.push(...next.bytes.subarray(0, left))
        if (next.bytes.length > left) this.#queue.unshift({ bytes: next.bytes.subarray(left) })
      }
    }
    while (this.#queue[0] && 'mark' in this.#queue[0]) this.#returns(this.#queue.shift()!)
    if (codes.length > 0) this.heard.push({ at: this.#renderedTo, codes: Uint8Array.from(codes) })
  }

  #stop(): void {
    this.#loop?.clear()
    this.#loop = undefined
  }

  #changed(): void {
    for (const look of this.#looks) look()
  }
}
