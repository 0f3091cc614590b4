import { Resampler, sampleRates, samplesFromBytes, type SampleRate } from '../../audio/index.ts'
import type { LineToolCall } from '../../parts/index.ts'
import type { Timer } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseCall } from '../base-call.ts'
import type { CallOptions, Farewell } from '../call-options.ts'
import { PacedPlayout, type Paced } from '../paced-playout.ts'
import type { Peer, PeerEnd } from '../peer.ts'
import type { RtviOptions } from '../rtvi/options.ts'
import { RtviConversation } from '../rtvi/rtvi-conversation.ts'
import { CatchUp } from './catch-up.ts'
import { ClientMisbehavedError } from './errors.ts'
import { decodeFrame, encodeMessage, encodeSound, type Frame } from './frames.ts'
import { limits } from './limits.ts'

/** The rate of the sound that a session hears. Most clients send it; the sound of the others is resampled. */
export const HEARS = 16_000

export interface RtviCallOptions extends Pick<CallOptions, 'id' | 'calls' | 'answerTimeout' | 'lostTimeout'> {
  readonly rtvi: Required<RtviOptions>
}

/** What a client shows to its user when a call ends. A close frame would be shown as an error of the network. */
const farewells: Readonly<Record<Exclude<Farewell, 'misbehaved'>, string>> = {
  'hung-up': 'The call has ended.',
  ended: 'The call has ended.',
  unanswered: 'The agent could not take the call.',
  closing: 'The call has ended: the server is closing.',
}

/** Codes of a close frame by which a client hangs up: on purpose, because its tab was closed, or without a code. */
const hangUps: ReadonlySet<number | undefined> = new Set([1000, 1001, 1005])

/**
 * A call from an RTVI client over a WebSocket. The client begins: it says that it is ready once its sound works. It plays what it
 * gets, reports nothing about it, sends no pings, and never comes back after it was cut off.
 */
export class RtviCall extends BaseCall<Paced> {
  /** The rate at which the client plays, whatever a frame says. */
  readonly speaks: SampleRate
  protected readonly playout: PacedPlayout
  protected readonly replaced = { code: 1008, reason: 'CALL_REPLACED' }
  readonly #options: RtviCallOptions
  readonly #conversation: RtviConversation
  readonly #catchUp = new CatchUp(limits.catchUp)
  #resampler = new Resampler({ from: HEARS, to: HEARS })
  /** Whether the client has said that it is ready. */
  #isUp = false
  #farewell: string | undefined
  #goodbye: Timer | undefined

  constructor(options: RtviCallOptions) {
    const { messages, resendEvery } = limits
    super({ ...options, name: 'rtvi', rejoinTimeout: 0, messages, resendEvery })
    this.#options = options
    this.speaks = options.rtvi.playerSampleRate
    this.playout = new PacedPlayout({ sampleRate: this.speaks, ahead: limits.ahead, piece: limits.piece })
    this.#conversation = new RtviConversation(
      {
        scope: options.calls.scope,
        write: (json) => this.peer?.send(encodeMessage(json)),
        ready: () => this.#clientReady(),
        typed: (what, value) => this.typed(what, value),
      },
      options.rtvi,
    )
  }

  /** Shows the session to the client. */
  attach(session: Session): void {
    this.#conversation.attach(session)
  }

  sendMessage(message: unknown): void {
    this.#conversation.sendMessage(message)
  }

  runTool(call: LineToolCall, signal: AbortSignal): Promise<unknown> {
    return this.#conversation.runTool(call, signal)
  }

  protected greet(): void {
    if (this.#isUp) this.ready()
  }

  protected override ping(peer: Peer): void {
    peer.ping()
  }

  override controlFrame(): void {
    this.#alive()
    super.controlFrame()
  }

  protected receive(data: string | Uint8Array): void {
    this.#alive()
    const frame = typeof data === 'string' ? undefined : decodeFrame(data)
    if (!frame) return this.misbehaved('it sent something that is not a frame of this protocol')
    if (frame.type === 'audio') return this.#hear(frame)
    return frame.type === 'message' ? this.#conversation.receive(frame.json) : undefined
  }

  protected transmit(peer: Peer, outgoing: Paced): void {
    if ('samples' in outgoing) return peer.send(encodeSound(outgoing.samples, this.speaks))
    for (const { id, heard } of outgoing.reached) this.events?.marked(id, heard, true)
    return undefined
  }

  /** A client cannot come back: whatever ends its connection ends the call. */
  protected override peerLeft({ how, code }: PeerEnd): void {
    if (how === 'closed' && hangUps.has(code)) this.hungUp()
    else this.lost()
  }

  override left(end: PeerEnd): void {
    this.#goodbye?.clear()
    super.left(end)
  }

  override abort(): void {
    super.abort()
    this.#goodbye?.clear()
  }

  override cut(): void {
    super.cut()
    this.#goodbye?.clear()
  }

  /** Has the client disconnect. One that is not ready yet is told so when it is: before, it would wait for ever. */
  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    this.#conversation.end()
    if (farewell === 'misbehaved') return peer.close(1008, 'CLIENT_MISBEHAVED')
    this.#farewell = farewells[farewell]
    if (this.#isUp) this.#conversation.fail(this.#farewell)
    const { scope } = this.#options.calls
    if (scope.state !== 'live') return peer.close(1001, farewell)
    this.#goodbye = scope.after(limits.farewell, 'the client disconnects', () => peer.close(1000, farewell))
    return undefined
  }

  protected override release(): void {
    this.#conversation.end()
  }

  protected misbehaviour(what: string): Error {
    return new ClientMisbehavedError(this.id, what)
  }

  /** A client that never becomes ready gives no sign of life, whatever its browser does. */
  #alive(): void {
    if (this.#isUp) this.watchdog.lastSign = this.now()
  }

  #clientReady(): void {
    this.#isUp = true
    this.#alive()
    if (this.#farewell !== undefined) return this.#conversation.fail(this.#farewell)
    if (!this.events || this.isReady) return undefined
    this.ready()
    return this.send()
  }

  #hear({ bytes, sampleRate, channels }: Frame & { readonly type: 'audio' }): void {
    if (bytes.length % 2 === 1) return this.misbehaved('its sound is not PCM16')
    const from = sampleRates.find((each) => each === sampleRate)
    if (from === undefined || channels !== 1)
      return this.misbehaved(
        `its sound has ${sampleRate} Hz and ${channels} channels: it must have ${sampleRates.join(', ')} Hz and 1`,
      )
    if (from !== this.#resampler.from) this.#resampler = new Resampler({ from, to: HEARS })
    const samples = this.#resampler.push(samplesFromBytes(bytes))
    if (samples.length === 0) return undefined
    for (const heard of this.#catchUp.push({ samples, sampleRate: HEARS }, this.now()))
      this.events?.frame(heard)
    return undefined
  }
}
