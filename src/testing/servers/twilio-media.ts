import { decodeMuLaw, type AudioFrame } from '../../audio/index.ts'
import type { SocketEnd, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import type { BridgeMember, SoundBridge } from './twilio-bridge.ts'
import type { CallContext } from './twilio-call-context.ts'
import type { TwilioCallEventDetails } from './twilio-events.ts'
import { TwilioStream, type HangUpWay } from './twilio-stream.ts'
import { TwilioVoice, telephoneSound } from './twilio-voice.ts'
import type { CallIds } from './twilio-webhooks.ts'

/** Bytes of mu-law per frame. */
const FRAME_BYTES = 160
/** Milliseconds per frame. */
const FRAME = 20

/** How a call treats its streams. */
export interface StreamManners {
  /** How the stream is signed. Default: rightly. */
  readonly signsStream?: 'rightly' | 'wrongly' | 'never'
  /** Sent with the webhook and with the stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether marks come back. Default: true. */
  readonly returnsMarks?: boolean
  /** How the call leaves its stream, whichever side ends it. Default: politely. */
  readonly leaves?: HangUpWay
}

export interface MediaOptions {
  readonly context: CallContext
  readonly ids: CallIds
  readonly manners: StreamManners
  readonly emit: (event: TwilioCallEventDetails) => void
  readonly changed: () => void
}

/** The sound of one call: what its phone says and hears, over streams or in a bridge. */
export class LegMedia implements BridgeMember {
  readonly #options: MediaOptions
  readonly #voice = new TwilioVoice()
  /** All open streams, including those that the call has left and that are still closing. */
  readonly #streams = new Set<TwilioStream>()
  /** What was heard, in frames of mu-law. */
  readonly #heard: Uint8Array[] = []
  /** The open streams of the current `<Connect>`. */
  #current = new Set<TwilioStream>()
  #stream: TwilioStream | undefined
  /** Opens the stream that TwiML asked for, or opens it again. */
  #openStream: (() => TwilioStream) | undefined
  #bridge: SoundBridge | undefined
  #heardBytes = 0
  /** Milliseconds since anything was last heard. */
  #quiet = 0
  #heardSinceSpeech = false
  /** Whether the stream was dropped and the call waits for `joins()`. */
  #onHold = false
  #answered = false
  #lost: Timer | undefined
  #ended = false

  constructor(options: MediaOptions) {
    this.#options = options
  }

  /** The number of open streams. */
  get open(): number {
    return this.#streams.size
  }

  get heardBytes(): number {
    return this.#heardBytes
  }

  get waitingBytes(): number {
    return this.#stream?.playout.waiting ?? 0
  }

  get heard(): AudioFrame {
    return { samples: decodeMuLaw(Buffer.concat(this.#heard)), sampleRate: 8000 }
  }

  /** Whether the current `<Connect>` has a stream, or waits for `joins()`. */
  get streaming(): boolean {
    return this.#current.size > 0 || this.#onHold
  }

  /** Whether something was heard since the phone's owner last spoke, followed by this many milliseconds of silence. */
  quietFor(ms: number): boolean {
    return this.#heardSinceSpeech && this.#quiet >= ms
  }

  /** The call was answered: from now on, what is said is lost unless something listens. */
  answered(): void {
    this.#answered = true
    this.#loseVoice()
  }

  // ── what the owner of the phone does ──

  async says(sound: AudioFrame): Promise<void> {
    const said = this.#voice.say(telephoneSound(sound))
    this.#heardSinceSpeech = false
    this.#loseVoice()
    await said
    this.#heardSinceSpeech = false
  }

  press(digit: string): void {
    this.#stream?.press(digit)
    this.#bridge?.press(this, digit)
  }

  // ── streams ──

  /** Opens a stream, and does not wait for it. */
  connect(url: string, parameters: Readonly<Record<string, string>>): void {
    this.#current = new Set()
    this.#openStream = this.#newStream.bind(this, url, parameters)
    this.#stream = this.#openStream()
  }

  /** Ends the current `<Connect>`: its streams are closed, and `joins()` does nothing more. */
  disconnect(way: HangUpWay = this.#options.manners.leaves ?? 'politely'): void {
    for (const stream of this.#current) stream.leave(way)
    this.#current = new Set()
    this.#openStream = undefined
    this.#onHold = false
    this.#loseVoice()
  }

  /** Opens the stream again. If it is still open, the call then has two. */
  joins(): void {
    this.#onHold = false
    if (!this.#ended && this.#openStream) this.#stream = this.#openStream()
  }

  drop(): void {
    this.#stream?.cut()
  }

  dropAndWait(): void {
    this.#onHold = true
    this.drop()
  }

  goSilent(): void {
    this.#stream?.goSilent()
  }

  freeze(): void {
    this.#stream?.freeze()
  }

  halfClose(): void {
    this.#stream?.halfClose()
  }

  sends(data: string | Uint8Array): void {
    this.#stream?.send(data)
  }

  // ── bridges ──

  joinBridge(bridge: SoundBridge): void {
    if (this.#ended) return
    this.#bridge = bridge
    bridge.join(this)
  }

  leaveBridge(): void {
    this.#bridge?.leave(this)
    this.#bridge = undefined
    this.#loseVoice()
  }

  takeVoice(): Uint8Array | undefined {
    return this.#voice.speaking ? this.#voice.take(FRAME_BYTES) : undefined
  }

  hears(sound: Uint8Array): void {
    const frame = new Uint8Array(FRAME_BYTES).fill(0xff)
    frame.set(sound)
    this.#heard.push(frame)
    this.#heardBytes += sound.length
    this.#quiet = sound.length > 0 ? 0 : this.#quiet + FRAME
    if (sound.length > 0) this.#heardSinceSpeech = true
    this.#options.changed()
  }

  hearsKeys(digits: string): void {
    this.#options.emit({ type: 'hears-keys', digits })
  }

  // ── the end ──

  end(way: HangUpWay): void {
    this.#ended = true
    this.#voice.end()
    this.#lost?.clear()
    this.leaveBridge()
    for (const stream of this.#streams) stream.leave(way)
  }

  /** Breaks all connections now. */
  cut(): void {
    for (const stream of this.#streams) stream.cut()
  }

  /** While nothing listens, what is said is lost in real time. Between the streams of one `<Connect>` the voice waits. */
  #loseVoice(): void {
    const connected = this.#openStream !== undefined || this.#bridge !== undefined
    const speaks = this.#answered && !this.#ended && this.#voice.speaking
    if (this.#lost || connected || !speaks) return
    const { clock, speed } = this.#options.context
    this.#lost = outsideTimer(clock, FRAME / speed, 'a frame that nobody hears', () => {
      this.#lost = undefined
      if (this.#openStream === undefined && this.#bridge === undefined) this.takeVoice()
      this.#loseVoice()
    })
  }

  #newStream(url: string, parameters: Readonly<Record<string, string>>): TwilioStream {
    const { context, ids, manners, emit } = this.#options
    const { account, newId, toLocal, sign } = context
    const { signsStream = 'rightly', headers, returnsMarks = true } = manners
    const { sid: call, from, to } = ids
    const stream: TwilioStream = new TwilioStream({
      ...context,
      url: toLocal(url),
      headers: { ...headers, ...(signsStream === 'never' ? {} : sign({ url }, signsStream)) },
      names: { account, call, stream: newId('MZ'), from, to, parameters },
      returnsMarks,
      voice: this.#voice,
      emit,
      played: (sound) => this.hears(sound),
      ended: (end) => this.#streamEnded(stream, end),
    })
    this.#streams.add(stream)
    this.#current.add(stream)
    return stream
  }

  #streamEnded(stream: TwilioStream, { how, code, status }: SocketEnd): void {
    this.#streams.delete(stream)
    this.#current.delete(stream)
    this.#options.emit({
      type: 'stream-ended',
      stream: stream.name,
      how,
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
    })
  }
}
