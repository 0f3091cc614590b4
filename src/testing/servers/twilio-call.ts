import { decodeMuLaw, encodeWav, type AudioFrame } from '../../audio/index.ts'
import { describeError, type Clock, type SocketEnd, type Timer } from '../../scope/index.ts'
import { inTheWorld } from '../world-time.ts'
import { Changes } from './changes.ts'
import type { CallEnder, TwilioCallEvent, TwilioCallNews } from './twilio-events.ts'
import type { CarrierDialect } from './twilio-frames.ts'
import type { CarrierPost, FormAnswer } from './twilio-post.ts'
import { TwilioStream } from './twilio-stream.ts'
import { readTwiml, type Twiml } from './twilio-twiml.ts'
import { TwilioVoice, telephoneSound } from './twilio-voice.ts'
import type { CarrierDial } from './twilio-wire.ts'

/**
 * How a caller leaves.
 * - `politely`: `stop`, then a close frame, as Twilio does
 * - `without-stop`: a close frame alone
 * - `cut`: the connection breaks without a frame
 * - `silently`: nothing is said, and the socket stays
 */
export type HangUpWay = 'politely' | 'without-stop' | 'cut' | 'silently'

export interface TwilioCallOptions {
  /** `+15550100` unless set. */
  readonly from?: string
  /** `+15550199` unless set. */
  readonly to?: string
  /** Told of everything that happens, at once; what it does to the call happens at that very moment. */
  readonly onEvent?: (event: TwilioCallEvent, call: TwilioCall) => void
  /** How the webhook and the status callbacks are signed: rightly unless set. */
  readonly signs?: 'rightly' | 'wrongly' | 'never'
  /** How the stream is signed: rightly unless set. */
  readonly signsStream?: 'rightly' | 'wrongly' | 'never'
  /** The webhook is asked so many times more, at once, as after a time-out on the way: 0 unless set. */
  readonly repeats?: number
  /** Marks come back: yes unless false. */
  readonly returnsMarks?: boolean
  /** How the call leaves its stream, whoever ends it: politely unless set. */
  readonly leaves?: HangUpWay
  /** Told when the call is over, as the status callback of a number is: nobody unless set. */
  readonly statusCallback?: string
  /** Sent with the webhook, and with the stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds that the webhook may take: 15,000 unless set. */
  readonly webhookTimeout?: number
}

/** Makes the headers that show where a request comes from. */
export type Sign = (
  request: { readonly url: string; readonly form?: Readonly<Record<string, string>>; readonly body?: string },
  how: 'rightly' | 'wrongly',
) => Readonly<Record<string, string>>

/** What a call has from its carrier. */
export interface CallSurroundings {
  readonly clock: Clock
  readonly dial: CarrierDial
  readonly post: CarrierPost
  readonly dialect: CarrierDialect
  readonly speed: number
  readonly account: string
  readonly sign: Sign
  /** Where the application really is: addresses may name the one that the world knows. */
  readonly reach: (url: string) => string
  /** The address that the world knows, for one that is really used. */
  readonly known: (url: string) => string
  readonly newName: (prefix: string) => string
  readonly changed: () => void
}

/** One call that a carrier places. Nothing it is asked to do throws, and after its end nothing happens. */
export class TwilioCall {
  readonly sid: string
  state: 'ringing' | 'in-progress' | 'completed' | 'failed' = 'ringing'
  /** Who ended it. */
  endedBy: CallEnder | undefined
  /** Everything that happened, in order. */
  readonly events: TwilioCallEvent[] = []
  readonly #around: CallSurroundings
  readonly #options: TwilioCallOptions
  readonly #webhook: string
  readonly #changes = new Changes()
  readonly #voice = new TwilioVoice()
  readonly #streams = new Set<TwilioStream>()
  readonly #posts = new AbortController()
  readonly #ear: Uint8Array[] = []
  readonly #began: number
  #stream: TwilioStream | undefined
  /** How the stream that TwiML asked for is opened, again if need be. */
  #open: (() => TwilioStream) | undefined
  #posting = 0
  #bytes = 0
  #quiet = 0
  #spokeSince = false
  /** The stream is away, and the call waits for it. */
  #held = false
  #pause: Timer | undefined

  constructor(webhook: string, around: CallSurroundings, options: TwilioCallOptions) {
    this.#webhook = webhook
    this.#around = around
    this.#options = options
    this.#began = around.clock.now()
    this.sid = around.newName('CA')
  }

  get over(): boolean {
    return this.state === 'completed' || this.state === 'failed'
  }

  /** Connections that this call has open now: streams, and requests under way. */
  get open(): number {
    return this.#streams.size + this.#posting
  }

  /** Bytes of mu-law that the caller has heard: 8 a millisecond. */
  get heardBytes(): number {
    return this.#bytes
  }

  /** Bytes that the application sent, and that wait to be heard. */
  get waitingBytes(): number {
    return this.#stream?.playout.waiting ?? 0
  }

  /** What the caller heard, from the start of the stream on, silence included. */
  get heard(): AudioFrame {
    return { samples: decodeMuLaw(Buffer.concat(this.#ear)), sampleRate: 8000 }
  }

  /** The same as a file. */
  get heardWav(): Uint8Array {
    return encodeWav([this.heard.samples], 8000)
  }

  // ── what the caller does ──

  /** Speaks. Resolves when everything was said, or the call is over. */
  async says(sound: AudioFrame): Promise<void> {
    if (this.over) return
    this.#spokeSince = false
    this.#tell({ type: 'says' })
    await this.#voice.say(telephoneSound(sound))
    this.#spokeSince = false
    if (!this.over) this.#tell({ type: 'said' })
  }

  press(digit: string): void {
    if (this.over) return
    this.#stream?.press(digit)
    this.#tell({ type: 'pressed', digit })
  }

  /** Resolves when the agent has said something since the caller last spoke, and then nothing for so long, or at the end. */
  listens(quiet: number): Promise<void> {
    return this.until(() => this.over || (this.#spokeSince && this.#quiet >= quiet))
  }

  hangUp(way: HangUpWay = this.#options.leaves ?? 'politely'): void {
    this.#end('caller', 'completed', way)
  }

  // ── what goes wrong ──

  /** No more media comes, and no mark goes back; the socket stays open. */
  goSilent(): void {
    this.#stream?.goSilent()
  }

  /** The network between swallows everything, and nobody is told. */
  freeze(): void {
    this.#stream?.freeze()
  }

  /** Its side of the connection ends without a close frame. */
  halfClose(): void {
    this.#stream?.halfClose()
  }

  /** The stream breaks. The call goes on with what TwiML says for that, and ends if it says nothing. */
  drop(): void {
    this.#stream?.cut()
  }

  /** The stream breaks, and the call waits without one until it `joins()` again. */
  dropAndWait(): void {
    this.#held = true
    this.#stream?.cut()
  }

  /** The stream comes back; or, with one that still stands, there is a second one. */
  joins(): void {
    this.#held = false
    if (!this.over && this.#open) this.#stream = this.#open()
  }

  /** Sends anything on the stream. */
  sends(data: string | Uint8Array): void {
    this.#stream?.send(data)
  }

  /** Everything of the call is cut now. */
  abort(): void {
    this.#end('carrier', 'completed', 'cut')
    this.#posts.abort()
    for (const stream of this.#streams) stream.cut()
  }

  // ── waiting ──

  /** Resolves when `met` holds. It is looked at again whenever something happens, and with each frame. */
  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** Resolves when the call is over and has no connection left. */
  gone(): Promise<void> {
    return this.until(() => this.over && this.open === 0)
  }

  // ── what the carrier does ──

  /** @internal The application ended it over REST. False if it was over before. */
  endByRest(): boolean {
    if (this.over) return false
    this.#end('application-by-rest', 'completed', this.#options.leaves ?? 'politely')
    return true
  }

  /** @internal Rings, and does what it is told until nothing is left to do. */
  async place(): Promise<void> {
    this.#tell({ type: 'ringing' })
    if (this.over) return
    let twiml = await this.#ask(this.#webhook, 'ringing', this.#options.repeats ?? 0)
    while (twiml && !this.over) twiml = await this.#carryOut(twiml)
    this.#end('application', 'completed', 'politely')
  }

  /** Does what TwiML says. Returns what to do next, if an address for that was given. */
  async #carryOut(verbs: readonly Twiml[]): Promise<readonly Twiml[] | undefined> {
    for (const verb of verbs) {
      if (this.over) return undefined
      const { name, attributes, children, text } = verb
      if (name === 'Hangup' || name === 'Reject') return undefined
      if (name === 'Redirect') return this.#ask(new URL(text.trim(), this.#webhook).href, 'in-progress')
      if (name === 'Pause') await this.#wait(Number(attributes['length'] ?? 1) * 1_000)
      else if (name === 'Connect' && children[0]?.name === 'Stream') {
        await this.#connect(children[0])
        const { action } = attributes
        if (action !== undefined && !this.over)
          return this.#ask(new URL(action, this.#webhook).href, 'in-progress')
      } else this.#tell({ type: 'verb', name })
    }
    return undefined
  }

  async #connect({ attributes, children }: Twiml): Promise<void> {
    const url = attributes['url'] ?? ''
    const parameters = children
      .filter(({ name }) => name === 'Parameter')
      .map(({ attributes: { name = '', value = '' } }) => [name, value] as const)
    this.#open = () => this.#openStream(url, Object.fromEntries(parameters))
    this.#stream = this.#open()
    await this.until(() => this.over || (this.#streams.size === 0 && !this.#held))
  }

  #openStream(url: string, parameters: Readonly<Record<string, string>>): TwilioStream {
    const { account, newName, reach, sign } = this.#around
    const { signsStream = 'rightly' } = this.#options
    const { from, to } = this.#numbers()
    const names = { account, call: this.sid, stream: newName('MZ'), from, to, parameters }
    const stream: TwilioStream = new TwilioStream({
      ...this.#around,
      url: reach(url),
      headers: { ...this.#options.headers, ...(signsStream === 'never' ? {} : sign({ url }, signsStream)) },
      names,
      returnsMarks: this.#options.returnsMarks ?? true,
      voice: this.#voice,
      told: (news) => this.#tell(news),
      ear: (sound) => this.#hears(sound),
      ended: (end) => this.#streamEnded(stream, end),
    })
    this.#streams.add(stream)
    return stream
  }

  #hears(sound: Uint8Array): void {
    const frame = new Uint8Array(160).fill(0xff)
    frame.set(sound)
    this.#ear.push(frame)
    this.#bytes += sound.length
    this.#quiet = sound.length > 0 ? 0 : this.#quiet + 20
    if (sound.length > 0) this.#spokeSince = true
    this.#changed()
  }

  #streamEnded(stream: TwilioStream, { how, code, status }: SocketEnd): void {
    this.#streams.delete(stream)
    this.#tell({
      type: 'stream-ended',
      stream: stream.name,
      how,
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
    })
  }

  /** Asks an address what to do. The call has failed if that is not to be had. */
  async #ask(url: string, status: string, repeats = 0): Promise<readonly Twiml[] | undefined> {
    const { clock } = this.#around
    const { webhookTimeout = 15_000 } = this.#options
    const late = new AbortController()
    const timer = inTheWorld(clock, webhookTimeout, 'a webhook', () => late.abort())
    try {
      const asked = Array.from({ length: 1 + repeats }, () =>
        this.#post(url, { CallStatus: status }, late.signal),
      )
      const [answer] = await Promise.all(asked)
      if (this.over) return undefined
      if (answer!.status !== 200) return this.#refused(answer!.status, 'it did not answer with 200')
      const verbs = readTwiml(answer!.body)
      const first = this.state === 'ringing'
      this.state = 'in-progress'
      this.#tell({ type: first ? 'answered' : 'told-more' })
      return verbs
    } catch (error) {
      return this.#refused(0, describeError(error).message)
    } finally {
      timer.clear()
    }
  }

  #refused(status: number, why: string): undefined {
    if (this.over) return
    this.#tell({ type: 'refused', status, why })
    this.#end('carrier', 'failed', 'cut')
  }

  async #post(url: string, more: Readonly<Record<string, string>>, late?: AbortSignal): Promise<FormAnswer> {
    const { account, post, known, sign } = this.#around
    const { signs = 'rightly' } = this.#options
    const { from, to } = this.#numbers()
    const form = {
      AccountSid: account,
      ApiVersion: '2010-04-01',
      CallSid: this.sid,
      Called: to,
      Caller: from,
      Direction: 'inbound',
      From: from,
      To: to,
      ...more,
    }
    const body = new URLSearchParams(form).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      ...this.#options.headers,
      ...(signs === 'never' ? {} : sign({ url: known(url), form, body }, signs)),
    }
    const { signal } = this.#posts
    this.#posting++
    try {
      const both = late ? AbortSignal.any([signal, late]) : signal
      return await post({ url, headers, body }, both)
    } finally {
      this.#posting--
      this.#changed()
    }
  }

  #end(by: CallEnder, state: 'completed' | 'failed', way: HangUpWay): void {
    if (this.over) return
    this.state = state
    this.endedBy = by
    this.#voice.end()
    this.#pause?.clear()
    for (const stream of this.#streams) leave(stream, way)
    this.#tell({ type: 'ended', by })
    const { statusCallback } = this.#options
    if (statusCallback === undefined) return
    const seconds = Math.round((this.#around.clock.now() - this.#began) / 1_000)
    // Nobody is there to tell if it fails: Twilio would only write it into its debugger.
    this.#post(statusCallback, { CallStatus: state, CallDuration: String(seconds) }).catch(() => {})
  }

  #wait(ms: number): Promise<void> {
    let waited = false
    this.#pause = inTheWorld(this.#around.clock, ms, 'a pause in TwiML', () => {
      waited = true
      this.#changed()
    })
    return this.until(() => waited || this.over)
  }

  #numbers(): { from: string; to: string } {
    const { from = '+15550100', to = '+15550199' } = this.#options
    return { from, to }
  }

  #tell(news: TwilioCallNews): void {
    const event = { at: this.#around.clock.now() - this.#began, ...news }
    this.events.push(event)
    this.#options.onEvent?.(event, this)
    this.#changed()
  }

  #changed(): void {
    this.#changes.tell()
    this.#around.changed()
  }
}

function leave(stream: TwilioStream, way: HangUpWay): void {
  switch (way) {
    case 'politely':
      return stream.stop({ says: true })
    case 'without-stop':
      return stream.stop({ says: false })
    case 'cut':
      return stream.cut()
    case 'silently':
      return stream.goSilent()
  }
}
