import { isDigit, type Ticket } from '../../protocol.ts'
import { CallEmitter, type CallErrorCode, type CallEvents, type CallState } from '../call-events.ts'
import type { PlaybackEvent } from '../playback-worklet.ts'
import { emptyTranscript, nextTranscript, type Transcript } from '../transcript.ts'
import { Wire, type CallEnd, type Hello } from '../wire.ts'
import { browser } from './browser.ts'
import { Loudspeaker } from './loudspeaker.ts'
import { Microphone, microphoneError } from './microphone.ts'
import { TrackSpeaker } from './track-speaker.ts'
import { WebRtcWire, type WebRtcWireEvents } from './webrtc-wire.ts'

/** The rate at which the level of the microphone is measured: its sound has the rate of the connection. */
const WEBRTC_RATE = 16_000

export interface CallOptions {
  /** Where the server takes calls, like `/call` or `wss://…`. */
  url: string
  /**
   * Where the server starts calls over WebRTC, like `/start`. If the server has no such calls, or the connection does not succeed
   * within 5 s, the call goes over the WebSocket of `url`, with the error `WEBRTC_FAILED`. Default: only the WebSocket.
   */
  webrtc?: string | undefined
  /** The token that lets the page in, or a function that fetches it. Only needed if the server has a secret. */
  token?: string | (() => string | Promise<string>)
  /** False to type only, or constraints for the microphone. Default: echo cancellation, noise suppression and gain control. */
  microphone?: boolean | MediaTrackConstraints
  /** False for a page that plays no sound. */
  sound?: boolean
  /** `call.ticket` of the page that was loaded before this one: rejoins that call, and no other. */
  ticket?: Ticket | undefined
}

/**
 * One call from this page.
 *
 * ```ts
 * const call = new Call({ url: '/call' })
 * call.on('ended', ({ reason }) => console.log(reason))
 * button.onclick = () => call.connect()
 * ```
 */
export class Call {
  readonly #options: CallOptions
  readonly #events = new CallEmitter()
  #state: CallState = 'idle'
  #wire: Wire | WebRtcWire | undefined
  #microphone: Microphone | undefined
  #loudspeaker: Loudspeaker | undefined
  /** Stops connecting over WebRTC. */
  readonly #stop = new AbortController()
  /** In place of the loudspeaker, if the call is over WebRTC. */
  #speaker: TrackSpeaker | undefined
  #muted = false
  #volume = 1
  #transcript = emptyTranscript
  /** Samples per second of the line. Set once the call was answered. */
  #sampleRate: number | undefined
  #within = 0
  #settle: (() => void) | undefined
  readonly #clicked = (): void => this.#resume()

  constructor(options: CallOptions) {
    this.#options = options
  }

  /** Names the call; the server's line has the same id. Set once the call is answered, and kept after its end. */
  get id(): string | undefined {
    return this.#wire?.call
  }

  get state(): CallState {
    return this.#state
  }

  get muted(): boolean {
    return this.#muted
  }

  /** Rejoins this call from the page that is loaded next. Keep it in `sessionStorage`. */
  get ticket(): Ticket | undefined {
    return this.#wire?.ticket
  }

  /** How loud the agent is, from 0 to 1. Default: 1. What counts as heard does not depend on it. */
  get volume(): number {
    return this.#volume
  }

  set volume(volume: number) {
    this.#volume = Math.min(1, Math.max(0, Number.isFinite(volume) ? volume : 1))
    const playing = this.#playing
    if (playing) playing.volume = this.#volume
  }

  /** What carries the call. Set once it is connected. */
  get transport(): 'websocket' | 'webrtc' | undefined {
    if (!this.#wire) return undefined
    return this.#wire instanceof WebRtcWire ? 'webrtc' : 'websocket'
  }

  /** The sound that the page plays, before its volume, to draw or record it. Set once the call is live. */
  get output(): AudioNode | undefined {
    return this.#playing?.output
  }

  get #playing(): Loudspeaker | TrackSpeaker | undefined {
    return this.#loudspeaker ?? this.#speaker
  }

  /** What was said so far. The agent's words are in it once they were heard. Empty if the server does not send it. */
  get transcript(): Transcript {
    return this.#transcript
  }

  /** Returns an unsubscribe function. */
  on<Name extends keyof CallEvents>(name: Name, listener: (data: CallEvents[Name]) => unknown): () => void {
    return this.#events.on(name, listener)
  }

  /**
   * Asks for the microphone and calls. Call it from a click handler: browsers want a click before a page may play
   * sound. Never rejects: resolves to `live` or `ended`, and `error` events say what went wrong.
   */
  async connect(): Promise<CallState> {
    if (this.#state !== 'idle') return this.#state
    this.#become('connecting')
    const { url, token, ticket, webrtc, microphone = true } = this.#options
    // First, so that the caller is not greeted while still looking for the browser's button.
    if (microphone !== false) await this.#ask(microphone === true ? {} : microphone)
    const isWebRtc = webrtc !== undefined && !ticket && (await this.#dialWebRtc(webrtc))
    if (this.#hasEnded() || isWebRtc) return this.#state
    const fetched = await this.#fetch(token)
    if (this.#hasEnded()) return this.#state
    await new Promise<void>((resolve) => {
      this.#settle = resolve
      const wire = new Wire(
        browser,
        { url, token: fetched, ticket },
        this.#wireEvents(() => wire),
      )
      this.#wire = wire
      wire.connect()
    })
    return this.#state
  }

  mute(): void {
    this.#mute(true)
  }

  unmute(): void {
    this.#mute(false)
  }

  /** Changes to another microphone. If the user or the browser refuses it, the call keeps the one that it has. */
  async useMicrophone(constraints: MediaTrackConstraints): Promise<void> {
    const before = this.#microphone
    await this.#ask(constraints)
    if (this.#microphone === before) return
    await before?.close()
    const { track } = this.#microphone ?? {}
    if (this.#wire instanceof WebRtcWire && track) await this.#wire.use(track)
    if (this.#sampleRate !== undefined && !this.#hasEnded()) await this.#listen(this.#sampleRate)
  }

  sendText(text: string): void {
    this.#wire?.send({ type: 'text', text })
  }

  /** Sends telephone keys, one after the other: 0–9, *, #, A–D. */
  press(digits: string): void {
    for (const digit of digits) if (isDigit(digit)) this.#wire?.send({ type: 'dtmf', digit })
  }

  /** Ends the call for good. */
  hangUp(): void {
    if (this.#wire) this.#wire.hangUp()
    else this.#ended({ reason: 'hung-up' })
  }

  // ── the connection ──

  #wireEvents(wire: () => Wire): ConstructorParameters<typeof Wire>[2] {
    return {
      joined: (hello) => {
        this.#joined(hello, wire()).catch((cause: unknown) => this.#error('SOUND_FAILED', cause))
      },
      sound: (position, samples) => this.#loudspeaker?.sound(position, samples),
      mark: (id, at) => this.#loudspeaker?.mark(id, at),
      clear: (at) => this.#loudspeaker?.clear(at),
      transcript: (message) => {
        this.#transcript = nextTranscript(this.#transcript, message)
        this.#events.emit('transcript', this.#transcript)
      },
      rejoining: () => {
        this.#become('rejoining')
        this.#events.emit('rejoining', { within: this.#within })
      },
      ended: (end) => this.#ended(end),
    }
  }

  /** Calls over WebRTC. Resolves to false if that is not possible. */
  async #dialWebRtc(url: string): Promise<boolean> {
    let joined = (): void => {}
    const settled = new Promise<void>((resolve) => (joined = this.#settle = resolve))
    let wire: WebRtcWire
    try {
      const events = this.#webRtcEvents(joined)
      wire = await WebRtcWire.open(url, this.#microphone?.track, events, this.#stop)
    } catch (cause) {
      if (!this.#hasEnded()) this.#error('WEBRTC_FAILED', cause)
      return false
    }
    // The user hung up just as it connected.
    if (this.#hasEnded()) {
      wire.hangUp()
      return true
    }
    this.#wire = wire
    if (this.#options.sound !== false) this.#playTrack(wire.stream)
    this.#sampleRate = WEBRTC_RATE
    await this.#listen(WEBRTC_RATE)
    wire.ready()
    await settled
    if (!this.#hasEnded()) this.#become('live')
    return true
  }

  #webRtcEvents(joined: () => void): WebRtcWireEvents {
    return {
      joined,
      interrupted: () => {
        if (this.#speaker) this.#speaker.isOpen = false
      },
      speaking: (on) => {
        if (on && this.#speaker) this.#speaker.isOpen = true
        this.#events.emit('speaking', on)
      },
      transcript: (transcript) => {
        this.#transcript = transcript
        this.#events.emit('transcript', transcript)
      },
      ended: (end) => this.#ended(end),
    }
  }

  #playTrack(stream: MediaStream): void {
    try {
      this.#speaker = new TrackSpeaker(stream)
    } catch (cause) {
      return this.#error('SOUND_FAILED', cause)
    }
    this.#speaker.volume = this.#volume
    return this.#waitForClick()
  }

  async #joined(hello: Hello, wire: Wire): Promise<void> {
    this.#within = hello.rejoinWithin
    const rejoined = this.#loudspeaker !== undefined
    if (!rejoined) await this.#open(hello.sampleRate)
    if (this.#hasEnded()) return
    const sound = this.#loudspeaker?.isAudible ?? false
    wire.ready({ sound, ...(rejoined ? this.#loudspeaker?.place : {}) })
    this.#become('live')
    this.#settle?.()
  }

  async #open(sampleRate: number): Promise<void> {
    if (this.#options.sound !== false) await this.#openLoudspeaker(sampleRate)
    this.#sampleRate = sampleRate
    await this.#listen(sampleRate)
  }

  async #listen(sampleRate: number): Promise<void> {
    try {
      await this.#microphone?.listen(sampleRate, this.#loudspeaker?.output, (event) => {
        if (event.type === 'frame') this.#wire?.sendSound(event.samples)
        else this.#events.emit('level', this.#muted ? 0 : event.level)
      })
    } catch (cause) {
      this.#error('MICROPHONE_FAILED', cause)
    }
  }

  async #openLoudspeaker(sampleRate: number): Promise<void> {
    try {
      const loudspeaker = await Loudspeaker.open(sampleRate, {
        played: (event) => this.#played(event),
        audible: (on) => this.#wire?.send({ type: 'sound', on }),
      })
      if (this.#hasEnded()) return await loudspeaker.close()
      this.#loudspeaker = loudspeaker
      loudspeaker.volume = this.#volume
    } catch (cause) {
      return this.#error('SOUND_FAILED', cause)
    }
    return this.#waitForClick()
  }

  /** If the browser has blocked the sound, the next click unblocks it. */
  #waitForClick(): void {
    if (this.#playing?.isAudible) return undefined
    for (const each of ['pointerdown', 'keydown']) addEventListener(each, this.#clicked)
    this.#error('SOUND_BLOCKED')
    return this.#resume()
  }

  #played(event: PlaybackEvent): void {
    if (event.type === 'speaking') this.#events.emit('speaking', event.on)
    else this.#wire?.send(event)
  }

  /** Starts an audio context that the browser has blocked. The browser refuses until the user clicks. */
  #resume(): void {
    this.#playing?.context
      .resume()
      .then(() => this.#stopWaiting())
      .catch(() => {})
  }

  #stopWaiting(): void {
    for (const each of ['pointerdown', 'keydown']) removeEventListener(each, this.#clicked)
  }

  // ── the microphone and the token ──

  async #ask(constraints: MediaTrackConstraints): Promise<void> {
    try {
      const microphone = await Microphone.ask(constraints)
      if (this.#hasEnded()) return await microphone.close()
      microphone.muted = this.#muted
      this.#microphone = microphone
    } catch (cause) {
      this.#error(microphoneError(cause), cause)
    }
  }

  async #fetch(token: CallOptions['token']): Promise<string | undefined> {
    if (typeof token !== 'function') return token
    try {
      return await token()
    } catch (cause) {
      this.#error('TOKEN_FAILED', cause)
      this.#ended({ reason: 'refused', code: 'TOKEN_FAILED' })
      return undefined
    }
  }

  #mute(muted: boolean): void {
    this.#muted = muted
    if (this.#microphone) this.#microphone.muted = muted
  }

  // ── the end ──

  #ended(end: CallEnd): void {
    if (this.#hasEnded()) return
    if (end.reason === 'lost') this.#error('SERVER_GONE')
    if (end.reason === 'refused' && end.code !== 'TOKEN_FAILED') this.#error(end.code ?? 'REFUSED')
    this.#stop.abort()
    this.#stopWaiting()
    this.#microphone?.close().catch(() => {})
    this.#playing?.close().catch(() => {})
    this.#become('ended')
    this.#events.emit('ended', end)
    this.#settle?.()
  }

  #hasEnded(): boolean {
    return this.#state === 'ended'
  }

  #become(state: CallState): void {
    if (this.#state === state) return
    this.#state = state
    this.#events.emit('state', state)
  }

  #error(code: CallErrorCode, cause?: unknown): void {
    if (!this.#hasEnded()) this.#events.emit('error', cause === undefined ? { code } : { code, cause })
  }
}
