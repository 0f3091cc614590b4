import { encodeMuLaw, frameOf, muLaw, type HeardMark } from '../../audio/index.ts'
import { BaseCall } from '../base-call.ts'
import type { CallOptions, Farewell } from '../call-options.ts'
import type { Peer } from '../peer.ts'
import type { Carrier, StreamWriter } from './carrier.ts'
import { CarrierPlayout, type Outgoing } from './carrier-playout.ts'
import { CarrierMisbehavedError, HangUpUnconfirmedError, StreamMissingError } from './errors.ts'
import type { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import { MediaOrder, type Sound } from './media-order.ts'
import type { StartMessage } from './read-message.ts'

export interface PhoneCallOptions extends Pick<
  CallOptions,
  'id' | 'calls' | 'answerTimeout' | 'rejoinTimeout' | 'lostTimeout'
> {
  readonly carrier: Carrier
  readonly hangUp: HangUp
  readonly connectTimeout: number
}

/** Codes of a close frame: the call has ended; another stream replaced this one; the stream broke the protocol. */
export const closeCodes = { ended: 1000, replaced: 4409, misbehaved: 1008 } as const

/**
 * A call on the phone. Its peers are the streams that the carrier opens.
 *
 * However the call ends, the carrier is asked to end it too, unless the carrier has said so itself: a call that no
 * session listens to costs as much as any other. The report says whether the carrier confirmed the end.
 */
export class PhoneCall extends BaseCall<Outgoing> {
  protected readonly playout = new CarrierPlayout()
  protected readonly replaced = { code: closeCodes.replaced, reason: 'CALL_REPLACED' }
  readonly #options: PhoneCallOptions
  /** Ids of the tickets that were used. */
  readonly #tickets = new Set<string>()
  #stream: StreamWriter | undefined
  #order = new MediaOrder()
  #nonsense = 0

  constructor(options: PhoneCallOptions) {
    super({ ...options, name: 'phone', messages: limits.messages, resendEvery: limits.resendEvery })
    this.#options = options
  }

  /** Whether a stream may start with this ticket: each ticket is good for one stream. */
  admits(ticket: string): boolean {
    return this.welcomes && !this.#tickets.has(ticket) && this.#tickets.size < limits.streams
  }

  /** A stream of the call has started. */
  start({ stream, understood }: StartMessage, peer: Peer, ticket: string): void {
    this.#tickets.add(ticket)
    this.#stream = this.#options.carrier.writer(stream)
    this.#order = new MediaOrder()
    this.#nonsense = 0
    this.join(peer)
    if (!understood) this.misbehaved('its sound is not mu-law at 8 kHz')
  }

  /** The carrier says that the call has ended. */
  override hungUp(): void {
    this.#options.hangUp.confirm()
    super.hungUp()
  }

  override async close(): Promise<void> {
    const { hangUp } = this.#options
    await super.close()
    if (!hangUp.confirmed && hangUp.possible) throw new HangUpUnconfirmedError(this.id, hangUp.problem)
  }

  override cut(): void {
    super.cut()
    this.#options.hangUp.abort()
  }

  override async released(): Promise<void> {
    const { hangUp } = this.#options
    await super.released()
    if (hangUp.busy) await hangUp.settled(limits.longestHangUp)
  }

  override inspect(): object {
    return { ...super.inspect(), confirmed: this.#options.hangUp.confirmed }
  }

  protected greet(): void {
    const first = this.generation === 0
    this.ready()
    if (!first) this.#emit(this.playout.restart())
    this.send()
  }

  protected receive(data: string | Uint8Array): void {
    const message = typeof data === 'string' ? this.#options.carrier.read(data) : undefined
    switch (message?.type) {
      case undefined:
        return this.#countNonsense()
      case 'sound':
        this.watchdog.lastSign = this.now()
        return this.#hear(message)
      case 'mark':
        this.#emit(this.playout.returned(message.name, this.now()))
        return this.send()
      case 'dtmf':
        return this.typed('dtmf', message.digit)
      case 'stop':
        // Also after we have hung up: then it is the confirmation.
        return this.hungUp()
      case 'start':
      case 'other':
        return undefined
    }
  }

  protected transmit(peer: Peer, outgoing: Outgoing): void {
    const stream = this.#stream
    if (!stream) return undefined
    if ('samples' in outgoing) {
      const { samples } = outgoing
      return peer.send(stream.sound(samples instanceof Int16Array ? encodeMuLaw(samples) : samples))
    }
    if ('clear' in outgoing) peer.send(stream.clear())
    return peer.send(stream.mark(outgoing.mark))
  }

  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    if (farewell === 'misbehaved') return peer.close(closeCodes.misbehaved, 'CARRIER_MISBEHAVED')
    return peer.close(closeCodes.ended, farewell)
  }

  /** Closing the stream should end the call too, since no document follows it. But a carrier may keep the call open. */
  protected override release(): void {
    this.#options.hangUp.ask()
  }

  protected override async confirmEnd(): Promise<boolean> {
    const { hangUp } = this.#options
    await hangUp.settled(limits.request)
    return hangUp.confirmed
  }

  protected override endReason(): string {
    return this.#options.hangUp.confirmed ? 'the call has ended' : 'the end of the call is not confirmed'
  }

  protected override connectError(): Error {
    return new StreamMissingError(this.id, this.#options.connectTimeout)
  }

  protected misbehaviour(what: string): Error {
    return new CarrierMisbehavedError(this.id, what)
  }

  #hear(sound: Sound): void {
    if (this.#options.carrier.keepsOrder) return this.#emitFrame(sound.bytes)
    for (const bytes of this.#order.next(sound)) this.#emitFrame(bytes)
  }

  #emitFrame(bytes: Uint8Array): void {
    this.events?.frame(frameOf(bytes, muLaw))
  }

  #emit(marks: readonly HeardMark[]): void {
    for (const { id, heard } of marks) this.events?.marked(id, heard)
  }

  #countNonsense(): void {
    this.#nonsense++
    if (this.#nonsense > limits.nonsense) this.misbehaved('its messages make no sense')
  }
}
