import { isDigit, type Ticket } from '../../protocol.ts'
import { CallEmitter, type CallErrorCode, type CallEvents, type CallState } from '../call-events.ts'
import type { PlaybackNews } from '../playback-worklet.ts'
import { Wire, type CallEnd, type Hello } from '../wire.ts'
import { browser } from './browser.ts'
import { Loudspeaker } from './loudspeaker.ts'
import { Microphone, microphoneError } from './microphone.ts'

export interface CallOptions {
  /** Where the server takes calls: `/call`, or `wss://…`. */
  url: string
  /** What lets the page in, or how to fetch it. Not needed while the server has no secret. */
  token?: string | (() => string | Promise<string>)
  /** False to type only; or what the microphone should be like. Echo, noise and gain are taken care of unless set. */
  microphone?: boolean | MediaTrackConstraints
  /** False for a page that makes no sound. */
  sound?: boolean
  /** `call.ticket` of a page that was loaded before this one: the way back into its call, and into no other. */
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
  #wire: Wire | undefined
  #microphone: Microphone | undefined
  #loudspeaker: Loudspeaker | undefined
  #muted = false
  #within = 0
  #settle: (() => void) | undefined
  readonly #clicked = (): void => this.#resume()

  constructor(options: CallOptions) {
    this.#options = options
  }

  /** Names the call, as the server's session is named. Known once somebody has answered, and from then on. */
  get id(): string | undefined {
    return this.#wire?.call
  }

  get state(): CallState {
    return this.#state
  }

  get muted(): boolean {
    return this.#muted
  }

  /** The way back into this call, for the page that is loaded next; keep it in `sessionStorage`. */
  get ticket(): Ticket | undefined {
    return this.#wire?.ticket
  }

  /** What comes out, to be drawn or recorded. There once the call is live. */
  get output(): AudioNode | undefined {
    return this.#loudspeaker?.output
  }

  /** Returns the way to stop listening. */
  on<Name extends keyof CallEvents>(name: Name, listener: (data: CallEvents[Name]) => unknown): () => void {
    return this.#events.on(name, listener)
  }

  /**
   * Asks for the microphone and calls. Do it in a click: browsers want one before they let a page make sound. Never
   * rejects: resolves to `live` or `ended`, and events tell what went wrong.
   */
  async connect(): Promise<CallState> {
    if (this.#state !== 'idle') return this.#state
    this.#become('connecting')
    const { url, token, ticket, microphone = true } = this.#options
    // Asked first: nobody should be greeted while looking for a button.
    if (microphone !== false) await this.#ask(microphone === true ? {} : microphone)
    const fetched = await this.#fetch(token)
    if (this.#isOver()) return this.#state
    await new Promise<void>((resolve) => {
      this.#settle = resolve
      this.#wire = new Wire(browser, { url, token: fetched, ticket }, this.#wireEvents())
      this.#wire.connect()
    })
    return this.#state
  }

  mute(): void {
    this.#mute(true)
  }

  unmute(): void {
    this.#mute(false)
  }

  sendText(text: string): void {
    this.#wire?.send({ type: 'text', text })
  }

  /** Presses keys of the telephone, one after the other: 0–9, *, #, A–D. */
  press(digits: string): void {
    for (const digit of digits) if (isDigit(digit)) this.#wire?.send({ type: 'dtmf', digit })
  }

  /** Ends the call, now and for good. */
  hangUp(): void {
    if (this.#wire) this.#wire.hangUp()
    else this.#ended({ reason: 'hung-up' })
  }

  // ── the connection ──

  #wireEvents(): ConstructorParameters<typeof Wire>[2] {
    return {
      joined: (hello) => {
        this.#joined(hello).catch((cause: unknown) => this.#error('SOUND_FAILED', cause))
      },
      sound: (position, samples) => this.#loudspeaker?.sound(position, samples),
      mark: (id, at) => this.#loudspeaker?.mark(id, at),
      clear: (at) => this.#loudspeaker?.clear(at),
      rejoining: () => {
        this.#become('rejoining')
        this.#events.emit('rejoining', { within: this.#within })
      },
      ended: (end) => this.#ended(end),
    }
  }

  async #joined(hello: Hello): Promise<void> {
    this.#within = hello.rejoinWithin
    const isBack = this.#loudspeaker !== undefined
    if (!isBack) await this.#open(hello.sampleRate)
    if (this.#isOver()) return
    const sound = this.#loudspeaker?.sounds ?? false
    this.#wire?.ready({ sound, ...(isBack ? this.#loudspeaker?.place : {}) })
    this.#become('live')
    this.#settle?.()
  }

  async #open(sampleRate: number): Promise<void> {
    if (this.#options.sound !== false) await this.#openLoudspeaker(sampleRate)
    try {
      await this.#microphone?.listen(sampleRate, this.#loudspeaker?.output, (news) => {
        if (news.type === 'frame') this.#wire?.sendSound(news.samples)
        else this.#events.emit('level', this.#muted ? 0 : news.level)
      })
    } catch (cause) {
      this.#error('MICROPHONE_FAILED', cause)
    }
  }

  async #openLoudspeaker(sampleRate: number): Promise<void> {
    try {
      const loudspeaker = await Loudspeaker.open(sampleRate, {
        news: (news) => this.#news(news),
        sounding: (on) => this.#wire?.send({ type: 'sound', on }),
      })
      if (this.#isOver()) return await loudspeaker.close()
      this.#loudspeaker = loudspeaker
    } catch (cause) {
      return this.#error('SOUND_FAILED', cause)
    }
    if (this.#loudspeaker.sounds) return undefined
    for (const each of ['pointerdown', 'keydown']) addEventListener(each, this.#clicked)
    this.#error('SOUND_BLOCKED')
    return this.#resume()
  }

  #news(news: PlaybackNews): void {
    if (news.type === 'speaking') this.#events.emit('speaking', news.on)
    else this.#wire?.send(news)
  }

  /** Lets a context sound that the browser has blocked. Refused until somebody clicks. */
  #resume(): void {
    this.#loudspeaker?.context
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
      if (this.#isOver()) return await microphone.close()
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
    if (this.#isOver()) return
    if (end.reason === 'lost') this.#error('SERVER_GONE')
    if (end.reason === 'refused' && end.code !== 'TOKEN_FAILED') this.#error(end.code ?? 'REFUSED')
    this.#stopWaiting()
    this.#microphone?.close().catch(() => {})
    this.#loudspeaker?.close().catch(() => {})
    this.#become('ended')
    this.#events.emit('ended', end)
    this.#settle?.()
  }

  #isOver(): boolean {
    return this.#state === 'ended'
  }

  #become(state: CallState): void {
    if (this.#state === state) return
    this.#state = state
    this.#events.emit('state', state)
  }

  #error(code: CallErrorCode, cause?: unknown): void {
    if (!this.#isOver()) this.#events.emit('error', cause === undefined ? { code } : { code, cause })
  }
}
