import { decodeMuLaw, encodeWav, type AudioFrame } from '../../audio/index.ts'
import type { SocketEnd, Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import { Changes } from './changes.ts'
import type { CallContext } from './twilio-call-context.ts'
import type { CallEnder, TwilioCallEvent, TwilioCallEventDetails } from './twilio-events.ts'
import { TwilioStream, type HangUpWay } from './twilio-stream.ts'
import type { Twiml } from './twilio-twiml.ts'
import { TwilioVoice, telephoneSound } from './twilio-voice.ts'
import { TwilioWebhooks, type CallIds, type WebhookOptions } from './twilio-webhooks.ts'

export interface TwilioCallOptions extends WebhookOptions {
  /** Default: `+15550100`. */
  readonly from?: string
  /** Default: `+15550199`. */
  readonly to?: string
  /** Called synchronously for every event, so that it can act on the call at that very moment. */
  readonly onEvent?: (event: TwilioCallEvent, call: TwilioCall) => void
  /** How the stream is signed. Default: rightly. */
  readonly signsStream?: 'rightly' | 'wrongly' | 'never'
  /** How many more times the webhook is requested at once, as after a timeout in the network. Default: 0. */
  readonly repeats?: number
  /** Whether marks come back. Default: true. */
  readonly returnsMarks?: boolean
  /** How the call leaves its stream, whichever side ends it. Default: politely. */
  readonly leaves?: HangUpWay
  /** The URL that is notified when the call has ended, as for a phone number. Default: none. */
  readonly statusCallback?: string
}

/** One call of a carrier. Its methods never throw, and do nothing once the call has ended. */
export class TwilioCall {
  readonly sid: string
  state: 'ringing' | 'in-progress' | 'completed' | 'failed' = 'ringing'
  endedBy: CallEnder | undefined
  /** All events, in order. */
  readonly events: TwilioCallEvent[] = []
  readonly #context: CallContext
  readonly #options: TwilioCallOptions
  readonly #webhook: string
  readonly #ids: CallIds
  readonly #webhooks: TwilioWebhooks
  readonly #changes = new Changes()
  readonly #voice = new TwilioVoice()
  readonly #streams = new Set<TwilioStream>()
  /** What the caller heard, in frames of mu-law. */
  readonly #heard: Uint8Array[] = []
  readonly #startedAt: number
  #stream: TwilioStream | undefined
  /** Opens the stream that TwiML asked for, or opens it again. */
  #openStream: (() => TwilioStream) | undefined
  #heardBytes = 0
  /** Milliseconds since the caller last heard the application. */
  #quiet = 0
  #heardSinceSpeech = false
  /** Whether the stream was dropped and the call waits for `joins()`. */
  #onHold = false
  #pause: Timer | undefined

  constructor(webhook: string, context: CallContext, options: TwilioCallOptions) {
    const { from = '+15550100', to = '+15550199' } = options
    this.#webhook = webhook
    this.#context = context
    this.#options = options
    this.#startedAt = context.clock.now()
    this.sid = context.newId('CA')
    this.#ids = { sid: this.sid, from, to }
    this.#webhooks = new TwilioWebhooks(this.#ids, context, options, () => this.#changed())
  }

  /** Whether the call has ended. */
  get over(): boolean {
    return this.state === 'completed' || this.state === 'failed'
  }

  /** The number of open connections of this call: streams and unfinished requests. */
  get open(): number {
    return this.#streams.size + this.#webhooks.open
  }

  /** Bytes of mu-law that the caller has heard: 8 per millisecond. */
  get heardBytes(): number {
    return this.#heardBytes
  }

  /** Bytes that the application has sent and the caller has not heard yet. */
  get waitingBytes(): number {
    return this.#stream?.playout.waiting ?? 0
  }

  /** What the caller heard since the start of the stream, including silence. */
  get heard(): AudioFrame {
    return { samples: decodeMuLaw(Buffer.concat(this.#heard)), sampleRate: 8000 }
  }

  /** `heard` as a WAV file. */
  get heardWav(): Uint8Array {
    return encodeWav([this.heard.samples], 8000)
  }

  // ── what the caller does ──

  /** Speaks. Resolves when everything was said, or when the call has ended. */
  async says(sound: AudioFrame): Promise<void> {
    if (this.over) return
    this.#heardSinceSpeech = false
    this.#emit({ type: 'says' })
    await this.#voice.say(telephoneSound(sound))
    this.#heardSinceSpeech = false
    if (!this.over) this.#emit({ type: 'said' })
  }

  press(digit: string): void {
    if (this.over) return
    this.#stream?.press(digit)
    this.#emit({ type: 'pressed', digit })
  }

  /**
   * Resolves when the agent has spoken since the caller last did and was then quiet for this many milliseconds, or when
   * the call has ended.
   */
  listens(quiet: number): Promise<void> {
    return this.until(() => this.over || (this.#heardSinceSpeech && this.#quiet >= quiet))
  }

  hangUp(way: HangUpWay = this.#options.leaves ?? 'politely'): void {
    this.#end('caller', 'completed', way)
  }

  // ── faults ──

  /** Stops sending media and marks, and leaves the socket open. */
  goSilent(): void {
    this.#stream?.goSilent()
  }

  /** Makes the network swallow everything in both directions without an error. */
  freeze(): void {
    this.#stream?.freeze()
  }

  /** Ends the carrier's side of the TCP connection without a close frame. */
  halfClose(): void {
    this.#stream?.halfClose()
  }

  /** Breaks the stream. The call continues with the TwiML after it, and ends if there is none. */
  drop(): void {
    this.#stream?.cut()
  }

  /** Breaks the stream and keeps the call without one until `joins()`. */
  dropAndWait(): void {
    this.#onHold = true
    this.#stream?.cut()
  }

  /** Opens the stream again. If it is still open, the call then has two. */
  joins(): void {
    this.#onHold = false
    if (!this.over && this.#openStream) this.#stream = this.#openStream()
  }

  /** Sends any data on the stream. */
  sends(data: string | Uint8Array): void {
    this.#stream?.send(data)
  }

  /** Ends the call and cuts all its connections now. */
  abort(): void {
    this.#end('carrier', 'completed', 'cut')
    this.#webhooks.abort()
    for (const stream of this.#streams) stream.cut()
  }

  // ── waiting ──

  /** Resolves when the condition is true. It is checked after each event and each frame. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  /** Resolves when the call has ended and has no open connection. */
  gone(): Promise<void> {
    return this.until(() => this.over && this.open === 0)
  }

  // ── what the carrier does ──

  /** @internal Ends the call on a REST request. Returns false if it had already ended. */
  endByRest(): boolean {
    if (this.over) return false
    this.#end('application-by-rest', 'completed', this.#options.leaves ?? 'politely')
    return true
  }

  /** @internal Rings, and executes TwiML until there is none left. */
  async place(): Promise<void> {
    this.#emit({ type: 'ringing' })
    if (this.over) return
    let twiml = await this.#ask(this.#webhook, 'ringing', this.#options.repeats ?? 0)
    while (twiml && !this.over) twiml = await this.#execute(twiml)
    this.#end('application', 'completed', 'politely')
  }

  /** Executes TwiML. Returns the TwiML to continue with, if there is any. */
  async #execute(verbs: readonly Twiml[]): Promise<readonly Twiml[] | undefined> {
    for (const verb of verbs) {
      if (this.over) return undefined
      const { name, attributes, children, text } = verb
      if (name === 'Hangup' || name === 'Reject') return undefined
      if (name === 'Redirect') return this.#ask(this.#addressOf(text.trim()), 'in-progress')
      if (name === 'Pause') await this.#wait(Number(attributes['length'] ?? 1) * 1_000)
      else if (name === 'Connect' && children[0]?.name === 'Stream') {
        await this.#connect(children[0])
        const { action } = attributes
        if (action !== undefined && !this.over) return this.#ask(this.#addressOf(action), 'in-progress')
      } else this.#emit({ type: 'verb', name })
    }
    return undefined
  }

  /** Where an address in TwiML is reached. It may be relative, or the public one. */
  #addressOf(text: string): string {
    return this.#context.toLocal(new URL(text, this.#webhook).href)
  }

  /** Requests TwiML. The call fails without it. */
  async #ask(url: string, status: string, repeats = 0): Promise<readonly Twiml[] | undefined> {
    const result = await this.#webhooks.ask(url, status, repeats)
    if (this.over) return undefined
    if (!('verbs' in result)) {
      this.#emit({ type: 'refused', status: result.status, why: result.why })
      this.#end('carrier', 'failed', 'cut')
      return undefined
    }
    const first = this.state === 'ringing'
    this.state = 'in-progress'
    this.#emit({ type: first ? 'answered' : 'told-more' })
    return result.verbs
  }

  async #connect({ attributes, children }: Twiml): Promise<void> {
    const url = attributes['url'] ?? ''
    const parameters = children
      .filter(({ name }) => name === 'Parameter')
      .map(({ attributes: { name = '', value = '' } }) => [name, value] as const)
    this.#openStream = () => this.#newStream(url, Object.fromEntries(parameters))
    this.#stream = this.#openStream()
    await this.until(() => this.over || (this.#streams.size === 0 && !this.#onHold))
  }

  #newStream(url: string, parameters: Readonly<Record<string, string>>): TwilioStream {
    const { account, newId, toLocal, sign } = this.#context
    const { signsStream = 'rightly', headers, returnsMarks = true } = this.#options
    const { sid: call, from, to } = this.#ids
    const stream: TwilioStream = new TwilioStream({
      ...this.#context,
      url: toLocal(url),
      headers: { ...headers, ...(signsStream === 'never' ? {} : sign({ url }, signsStream)) },
      names: { account, call, stream: newId('MZ'), from, to, parameters },
      returnsMarks,
      voice: this.#voice,
      emit: (details) => this.#emit(details),
      played: (sound) => this.#played(sound),
      ended: (end) => this.#streamEnded(stream, end),
    })
    this.#streams.add(stream)
    return stream
  }

  #played(sound: Uint8Array): void {
    const frame = new Uint8Array(160).fill(0xff)
    frame.set(sound)
    this.#heard.push(frame)
    this.#heardBytes += sound.length
    this.#quiet = sound.length > 0 ? 0 : this.#quiet + 20
    if (sound.length > 0) this.#heardSinceSpeech = true
    this.#changed()
  }

  #streamEnded(stream: TwilioStream, { how, code, status }: SocketEnd): void {
    this.#streams.delete(stream)
    this.#emit({
      type: 'stream-ended',
      stream: stream.name,
      how,
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
    })
  }

  #end(by: CallEnder, state: 'completed' | 'failed', way: HangUpWay): void {
    if (this.over) return
    this.state = state
    this.endedBy = by
    this.#voice.end()
    this.#pause?.clear()
    for (const stream of this.#streams) stream.leave(way)
    this.#emit({ type: 'ended', by })
    const { statusCallback } = this.#options
    if (statusCallback === undefined) return
    const seconds = Math.round((this.#context.clock.now() - this.#startedAt) / 1_000)
    this.#webhooks.notify(statusCallback, { CallStatus: state, CallDuration: String(seconds) })
  }

  #wait(ms: number): Promise<void> {
    let elapsed = false
    this.#pause = outsideTimer(this.#context.clock, ms, 'a pause in TwiML', () => {
      elapsed = true
      this.#changed()
    })
    return this.until(() => elapsed || this.over)
  }

  #emit(details: TwilioCallEventDetails): void {
    const event = { at: this.#context.clock.now() - this.#startedAt, ...details }
    this.events.push(event)
    this.#options.onEvent?.(event, this)
    this.#changed()
  }

  #changed(): void {
    this.#changes.notify()
    this.#context.changed()
  }
}
