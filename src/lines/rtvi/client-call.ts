import type { SampleRate } from '../../audio/index.ts'
import type { LineToolCall } from '../../parts/index.ts'
import type { Timer } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseCall } from '../base-call.ts'
import type { CallOptions, Farewell } from '../call-options.ts'
import { CatchUp } from '../catch-up.ts'
import { PacedPlayout, type Paced } from '../paced-playout.ts'
import type { Peer, PeerEnd } from '../peer.ts'
import type { Rate } from '../rate-limit.ts'
import { ClientMisbehavedError } from './errors.ts'
import type { RtviOptions } from './options.ts'
import { RtviConversation } from './rtvi-conversation.ts'

/** The rate of the sound that a session hears. */
export const HEARS = 16_000

export interface ClientCallOptions extends Pick<
  CallOptions,
  'id' | 'calls' | 'answerTimeout' | 'lostTimeout'
> {
  readonly rtvi: Pick<RtviOptions, 'tools'>
}

/** How a transport carries calls. */
export interface ClientCallSettings {
  /** The rate at which clients are sent sound. */
  readonly speaks: SampleRate
  readonly messages: Rate
  readonly resendEvery: number
  /** Milliseconds of sound to send ahead, per piece, and to catch up with. */
  readonly ahead: number
  readonly piece: number
  readonly catchUp: number
  /** Milliseconds that a client has to disconnect by itself, after it was told that the call has ended. */
  readonly farewell: number
}

/** How a call says goodbye to a client that has done nothing wrong. */
export type PoliteFarewell = Exclude<Farewell, 'misbehaved'>

/**
 * A call from an RTVI client, on any transport. The client begins: it says that it is ready once its sound works. It plays what it
 * gets, reports nothing about it, and never comes back after it was cut off. A transport says how messages and sound are sent.
 */
export abstract class ClientCall extends BaseCall<Paced> {
  readonly speaks: SampleRate
  protected readonly playout: PacedPlayout
  protected readonly replaced = { code: 1008, reason: 'CALL_REPLACED' }
  protected readonly conversation: RtviConversation
  readonly #options: ClientCallOptions
  readonly #settings: ClientCallSettings
  readonly #catchUp: CatchUp
  /** Whether the client has said that it is ready. */
  #isUp = false
  #farewell: PoliteFarewell | undefined
  #goodbye: Timer | undefined

  constructor(name: string, options: ClientCallOptions, settings: ClientCallSettings) {
    const { speaks, messages, resendEvery, ahead, piece, catchUp } = settings
    super({ ...options, name, rejoinTimeout: 0, messages, resendEvery })
    this.#options = options
    this.#settings = settings
    this.speaks = speaks
    this.#catchUp = new CatchUp(catchUp)
    this.playout = new PacedPlayout({ sampleRate: speaks, ahead, piece, lag: (now) => this.lag(now) })
    this.conversation = new RtviConversation(
      {
        scope: options.calls.scope,
        write: (json) => this.peer?.send(this.encodeMessage(json)),
        ready: () => this.#clientReady(),
        typed: (what, value) => this.typed(what, value),
      },
      options.rtvi,
    )
  }

  // ── implemented by each transport ──

  protected abstract encodeMessage(json: string): string | Uint8Array
  protected abstract encodeSound(samples: Int16Array): Uint8Array
  /** Has a client disconnect, if the transport can do so before the client is ready. */
  protected abstract dismissClient(farewell: PoliteFarewell): void

  /** How many milliseconds after it was due sound is heard, as far as the transport knows. */
  protected lag(_now: number): number {
    return 0
  }

  // ── called by the session ──

  /** Shows the session to the client. */
  attach(session: Session): void {
    this.conversation.attach(session)
  }

  sendMessage(message: unknown): void {
    this.conversation.sendMessage(message)
  }

  runTool(call: LineToolCall, signal: AbortSignal): Promise<unknown> {
    return this.conversation.runTool(call, signal)
  }

  override abort(): void {
    super.abort()
    this.#goodbye?.clear()
  }

  override cut(): void {
    super.cut()
    this.#goodbye?.clear()
  }

  override left(end: PeerEnd): void {
    this.#goodbye?.clear()
    super.left(end)
  }

  // ── used by each transport ──

  /** A client that never becomes ready gives no sign of life, whatever its browser does. */
  protected alive(): void {
    if (this.#isUp) this.watchdog.lastSign = Math.floor(this.now())
  }

  /** The client has sent sound. */
  protected hear(samples: Int16Array): void {
    if (samples.length === 0) return
    const frame = { samples, sampleRate: HEARS } as const
    for (const heard of this.#catchUp.push(frame, this.now())) this.events?.frame(heard)
  }

  protected greet(): void {
    if (this.#isUp) this.ready()
  }

  protected transmit(peer: Peer, outgoing: Paced): void {
    if ('samples' in outgoing) return peer.send(this.encodeSound(outgoing.samples))
    for (const { id, heard } of outgoing.reached) this.events?.marked(id, heard, true)
    return undefined
  }

  /**
   * Has the client disconnect. One that is not ready yet is dismissed when it becomes ready, because its `connect()` would wait for
   * ever otherwise, and at the latest when its connection is closed, which some transports do not notice.
   */
  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    this.conversation.end()
    if (farewell === 'misbehaved') return peer.close(1008, 'CLIENT_MISBEHAVED')
    this.#farewell = farewell
    if (this.#isUp) this.dismissClient(farewell)
    const close = (code: number): void => {
      if (!this.#isUp) this.dismissClient(farewell)
      peer.close(code, farewell)
    }
    const { scope } = this.#options.calls
    if (scope.state !== 'live') return close(1001)
    this.#goodbye = scope.after(this.#settings.farewell, 'the client disconnects', () => close(1000))
    return undefined
  }

  protected override release(): void {
    this.conversation.end()
  }

  protected misbehaviour(what: string): Error {
    return new ClientMisbehavedError(this.id, what)
  }

  #clientReady(): void {
    this.#isUp = true
    this.alive()
    if (this.#farewell !== undefined) return this.dismissClient(this.#farewell)
    if (!this.events || this.isReady) return undefined
    this.ready()
    return this.send()
  }
}
