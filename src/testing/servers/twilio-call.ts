import { encodeWav, type AudioFrame } from '../../audio/index.ts'
import type { CallEnder, CallState, TwilioCallEvent } from './twilio-events.ts'
import type { CallLeg, LegManners } from './twilio-leg.ts'
import type { HangUpWay } from './twilio-stream.ts'

export interface TwilioCallOptions extends LegManners {
  /** Default: `+15550100`. */
  readonly from?: string
  /** Default: `+15550199`. */
  readonly to?: string
  /** Called synchronously for every event, so that it can act on the call at that very moment. */
  readonly onEvent?: (event: TwilioCallEvent, call: TwilioCall) => void
  /** How many more times the webhook is requested at once, as after a timeout in the network. Default: 0. */
  readonly repeats?: number
  /** The URL that is notified when the call has ended, as for a phone number. Default: none. */
  readonly statusCallback?: string
}

/**
 * One call of a carrier, seen from its phone: that of a caller, or of a person who is called. Its methods never throw, and
 * do nothing once the call has ended.
 */
export class TwilioCall {
  readonly #leg: CallLeg

  constructor(leg: CallLeg) {
    this.#leg = leg
  }

  get sid(): string {
    return this.#leg.sid
  }

  get from(): string {
    return this.#leg.ids.from
  }

  get to(): string {
    return this.#leg.ids.to
  }

  get state(): CallState {
    return this.#leg.state
  }

  get endedBy(): CallEnder | undefined {
    return this.#leg.endedBy
  }

  /** All events, in order. */
  get events(): readonly TwilioCallEvent[] {
    return this.#leg.events
  }

  /** Whether the call has ended. */
  get over(): boolean {
    return this.#leg.over
  }

  /** The number of open connections of this call: streams and unfinished requests. */
  get open(): number {
    return this.#leg.open
  }

  /** Bytes of mu-law that the phone has played: 8 per millisecond. */
  get heardBytes(): number {
    return this.#leg.media.heardBytes
  }

  /** Bytes that the application has sent and the phone has not played yet. */
  get waitingBytes(): number {
    return this.#leg.media.waitingBytes
  }

  /** What the phone has played, including silence, since the first stream or bridge. */
  get heard(): AudioFrame {
    return this.#leg.media.heard
  }

  /** `heard` as a WAV file. */
  get heardWav(): Uint8Array {
    return encodeWav([this.heard.samples], 8000)
  }

  // ── what the owner of the phone does ──

  /** Speaks. Resolves when everything was said, or when the call has ended. */
  async says(sound: AudioFrame): Promise<void> {
    if (this.over) return
    this.#leg.emit({ type: 'says' })
    await this.#leg.media.says(sound)
    if (!this.over) this.#leg.emit({ type: 'said' })
  }

  press(digit: string): void {
    if (this.over) return
    this.#leg.media.press(digit)
    this.#leg.emit({ type: 'pressed', digit })
  }

  /**
   * Resolves when something was heard since this phone's owner last spoke, followed by this many milliseconds of silence,
   * or when the call has ended.
   */
  listens(quiet: number): Promise<void> {
    return this.until(() => this.over || this.#leg.media.quietFor(quiet))
  }

  /** Picks up a phone that rings. Callers cannot. */
  answers(): void {
    const { ids, state } = this.#leg
    if (ids.direction !== 'inbound' && state === 'ringing') this.#leg.answers()
  }

  /** Hangs up, or declines a call that rings. */
  hangUp(way?: HangUpWay): void {
    const { ids, answered } = this.#leg
    const leaves = way === undefined ? {} : { way }
    if (ids.direction === 'inbound') this.#leg.end({ by: 'caller', ...leaves })
    else if (answered) this.#leg.end({ by: 'person', ...leaves })
    else this.#leg.end({ by: 'person', state: 'busy', sip: 603 })
  }

  // ── faults ──

  /** Stops sending media and marks, and leaves the socket open. */
  goSilent(): void {
    this.#leg.media.goSilent()
  }

  /** Makes the network swallow everything in both directions without an error. */
  freeze(): void {
    this.#leg.media.freeze()
  }

  /** Ends the carrier's side of the TCP connection without a close frame. */
  halfClose(): void {
    this.#leg.media.halfClose()
  }

  /** Breaks the stream. The call continues with the TwiML after it, and ends if there is none. */
  drop(): void {
    this.#leg.media.drop()
  }

  /** Breaks the stream and keeps the call without one until `joins()`. */
  dropAndWait(): void {
    this.#leg.media.dropAndWait()
  }

  /** Opens the stream again. If it is still open, the call then has two. */
  joins(): void {
    this.#leg.media.joins()
  }

  /** Sends any data on the stream. */
  sends(data: string | Uint8Array): void {
    this.#leg.media.sends(data)
  }

  /** Ends the call and cuts all its connections now. */
  abort(): void {
    this.#leg.abort()
  }

  // ── waiting ──

  /** Resolves when the condition is true. It is checked after each event and each frame. */
  until(condition: () => boolean): Promise<void> {
    return this.#leg.until(condition)
  }

  /** Resolves when the call has ended and has no open connection. */
  gone(): Promise<void> {
    return this.until(() => this.over && this.open === 0)
  }
}
