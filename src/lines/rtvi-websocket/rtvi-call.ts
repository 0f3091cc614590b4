import { samplesFromBytes } from '../../audio/index.ts'
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

/** What a client sends, and what it plays, whatever a frame says about its rate. */
export const rates = { hears: 16_000, speaks: 24_000 } as const

export interface RtviCallOptions extends Pick<CallOptions, 'id' | 'calls' | 'answerTimeout' | 'lostTimeout'> {
  readonly rtvi: RtviOptions
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
  protected readonly playout = new PacedPlayout({
    sampleRate: rates.speaks,
    ahead: limits.ahead,
    piece: limits.piece,
  })
  protected readonly replaced = { code: 1008, reason: 'CALL_REPLACED' }
  readonly #options: RtviCallOptions
  readonly #conversation: RtviConversation
  readonly #catchUp = new CatchUp(limits.catchUp)
  /** Whether the client has said that it is ready. */
  #isUp = false
  #farewell: string | undefined
  #goodbye: Timer | undefined

  constructor(options: RtviCallOptions) {
    const { messages, resendEvery } = limits
    super({ ...options, name: 'rtvi', rejoinTimeout: 0, messages, resendEvery })
    this.#options = options
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
    if ('samples' in outgoing) return peer.send(encodeSound(outgoing.samples, rates.speaks))
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
    if (sampleRate !== rates.hears || channels !== 1)
      return this.misbehaved(
        `its sound has ${sampleRate} Hz and ${channels} channels: it must have 16000 and 1`,
      )
    if (bytes.length === 0) return undefined
    const frame = { samples: samplesFromBytes(bytes), sampleRate }
    for (const heard of this.#catchUp.push(frame, this.now())) this.events?.frame(heard)
    return undefined
  }
}
