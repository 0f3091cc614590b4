import { frameOf, muLaw, type HeardMark } from '../../audio/index.ts'
import type {
  AnswerVerdict,
  LineConnection,
  RecordingChange,
  TransferOutcome,
  TransferRequest,
  TransferResult,
} from '../../parts/index.ts'
import { MachineShell, noop, type TimerCommand } from '../../scope/index.ts'
import { BaseCall } from '../base-call.ts'
import type { Farewell } from '../call-options.ts'
import type { Peer, PeerEnd } from '../peer.ts'
import type { LifeCommand, LifeEvent } from './call-life-events.ts'
import { CallLife } from './call-life.ts'
import { dialDocument, redirectDocument, type StreamWriter } from './carrier.ts'
import { CarrierKeys } from './carrier-keys.ts'
import { CarrierPlayout, type Outgoing } from './carrier-playout.ts'
import { CarrierRecording } from './carrier-recording.ts'
import {
  CarrierMisbehavedError,
  HangUpUnconfirmedError,
  StreamMissingError,
  TransferImpossibleError,
} from './errors.ts'
import { FarCall } from './far-call.ts'
import { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import { MediaOrder, type Sound } from './media-order.ts'
import type { PhoneCallOptions } from './phone-call-options.ts'
import type { StartMessage } from './read-message.ts'
import type { Leg } from './warm-transfer.ts'

/** Codes of a close frame: the call has ended; another stream replaced this one; the stream broke the protocol. */
export const closeCodes = { ended: 1000, replaced: 4409, misbehaved: 1008 } as const

/**
 * A call on the phone. Its peers are the streams that the carrier opens.
 *
 * However the call ends, the carrier is asked to end it too, unless the carrier has said so itself, or has connected the
 * caller to somebody else: a call that no session listens to costs as much as any other. The report says whether the
 * carrier confirmed the end. `CallLife` decides where the call is.
 */
export class PhoneCall extends BaseCall<Outgoing> implements Leg, LineConnection {
  readonly consults = true
  /** Unset if keys are pressed by tones in the sound. */
  readonly press?: (keys: string) => Promise<void>
  protected readonly playout = new CarrierPlayout()
  protected readonly replaced = { code: closeCodes.replaced, reason: 'CALL_REPLACED' }
  readonly #options: PhoneCallOptions
  readonly #hangUp: HangUp
  readonly #far: FarCall
  readonly #life: CallLife
  readonly #shell: MachineShell<LifeEvent, LifeCommand>
  readonly #keys: CarrierKeys
  /** What the carrier is to do with the call. */
  #document = ''
  /** How often the carrier was given a document. */
  #requests = 0
  #settleTransfer: ((result: TransferResult) => void) | undefined
  #recording: CarrierRecording | undefined
  /** Ids of the tickets that were used. */
  readonly #tickets = new Set<string>()
  #stream: StreamWriter | undefined
  #verdict: AnswerVerdict | undefined
  #onVerdict: ((verdict: AnswerVerdict) => void) | undefined
  #order = new MediaOrder()
  #nonsense = 0

  constructor(options: PhoneCallOptions) {
    super({ ...options, name: 'phone', messages: limits.messages, resendEvery: limits.resendEvery })
    this.#options = options
    const { far, calls } = options
    this.#hangUp = new HangUp(far)
    this.#far = new FarCall(far)
    this.#life = new CallLife({ canLook: this.#far.canAsk })
    this.#keys = new CarrierKeys({
      far,
      after: `${options.base}/keys`,
      redirect: (document, lasts) => {
        this.#document = document
        this.#shell.handle({ type: 'press', lasts })
      },
      ended: () => this.hasEndedThere(),
    })
    if (options.keys === 'carrier') this.press = this.#keys.press.bind(this.#keys)
    this.#shell = new MachineShell(this.#life, calls.scope, {
      name: `call ${options.id}`,
      carryOut: (command) => this.#carryOut(command),
    })
  }

  /** Whether a stream may start with this ticket: each ticket is good for one stream. */
  admits(ticket: string): boolean {
    return this.welcomes && !this.#tickets.has(ticket) && this.#tickets.size < limits.streams
  }

  /** A stream of the call has started. */
  start({ stream, understood }: StartMessage, peer: Peer, ticket: string): void {
    this.#tickets.add(ticket)
    this.#stream = this.#options.far.carrier.writer(stream)
    this.#order = new MediaOrder()
    this.#nonsense = 0
    this.join(peer)
    this.#shell.handle({ type: 'started' })
    if (this.#options.records && !this.#recording) this.#recordAll()
    if (!understood) this.misbehaved('its sound is not mu-law at 8 kHz')
  }

  /** The carrier says that the call has ended. */
  hasEndedThere(): void {
    this.#shell.handle({ type: 'ended' })
  }

  /** The carrier asks how to go on, because the stream has ended. */
  again(): void {
    this.#shell.handle({ type: 'again' })
  }

  /** The person to whom the caller is transferred has answered. */
  personAnswered(): void {
    this.#shell.handle({ type: 'answered' })
  }

  /** The person has rejected the call. `leg` is the carrier's name for the call to the person. */
  personRejected(leg: string): void {
    this.#shell.handle({ type: 'rejected', leg })
  }

  /** The carrier has connected the caller to somebody else, and that has ended; or it could not. */
  dialled(outcome: TransferOutcome, leg: string | undefined): void {
    this.#shell.handle({ type: 'dialled', outcome, leg })
  }

  /** The carrier has pressed the keys of a document, and asks how to go on. */
  pressed(): void {
    this.#shell.handle({ type: 'pressed' })
  }

  /** The carrier says who has answered. The first verdict counts. */
  judged(verdict: AnswerVerdict): void {
    if (this.#verdict || this.hasEnded) return
    this.#verdict = verdict
    this.#onVerdict?.(verdict)
  }

  onVerdict(listener: (verdict: AnswerVerdict) => void): void {
    this.#onVerdict = listener
    if (this.#verdict) listener(this.#verdict)
  }

  async transfer(request: TransferRequest): Promise<TransferResult> {
    if (!this.#far.canAsk) throw new TransferImpossibleError(this.id)
    const { base, number, warm, far } = this.#options
    const { to, from, ringTimeout, consult } = request
    const hangUp = (call: string): HangUp => new HangUp({ ...far, call })
    const onClosing = (): void => {
      warm.callerLeaves(this.id)
      // While the carrier is asked to take the call: whether the stream stops for that cannot be seen any more.
      if (this.#life.place === 'asking') this.#shell.handle({ type: 'stop' })
    }
    this.onClosing = onClosing
    if (consult)
      return warm.start({ leg: this, base, number, account: far.account, hangUp }, { ...request, consult })
    const document = dialDocument({
      to,
      from,
      ringTimeout,
      after: `${base}/transfer`,
      progress: `${base}/leg`,
    })
    return this.redirect(document, ringTimeout)
  }

  async redirect(document: string, within: number): Promise<TransferResult> {
    if (this.#keys.isBusy) await this.#keys.idle
    if (this.hasEnded) return { outcome: 'caller-gone' }
    if (this.#settleTransfer) return { outcome: 'failed', why: 'the call is being transferred already' }
    return await new Promise((settle) => {
      this.#document = document
      this.#settleTransfer = settle
      this.#shell.handle({ type: 'transfer', ringFor: within })
    })
  }

  record(change: RecordingChange): Promise<boolean> {
    const { far, base } = this.#options
    this.#recording ??= new CarrierRecording(far, `${base}/recording`)
    return this.#recording.change(change)
  }

  bringBack(): Promise<TransferResult> {
    return new Promise((settle) => {
      this.#settleTransfer = settle
      this.#shell.handle({ type: 'alone' })
    })
  }

  /** The session may not know: as far as the machine knows, the caller is with somebody else. */
  callerHasHungUp(): void {
    this.hasEndedThere()
    this.#hangUp.confirm()
    this.hungUp()
  }

  look(): Promise<'live' | 'ended' | 'unknown'> {
    return this.#far.look()
  }

  override async close(): Promise<void> {
    await super.close()
    if (this.isHandedOver) return
    if (!this.#hangUp.confirmed && this.#hangUp.possible)
      throw new HangUpUnconfirmedError(this.id, this.#hangUp.problem)
  }

  override cut(): void {
    super.cut()
    this.#hangUp.abort()
  }

  override async released(): Promise<void> {
    await super.released()
    if (this.#hangUp.busy) await this.#hangUp.settled(limits.longestHangUp)
  }

  override inspect(): object {
    return { ...super.inspect(), place: this.#life.place, confirmed: this.#hangUp.confirmed }
  }

  protected greet(): void {
    const first = this.generation === 0
    this.ready()
    if (!first) this.#emit(this.playout.restart())
    this.send()
  }

  protected receive(data: string | Uint8Array, now: number): void {
    const message = typeof data === 'string' ? this.#options.far.carrier.read(data) : undefined
    switch (message?.type) {
      case undefined:
        return this.#countNonsense()
      case 'sound':
        this.watchdog.lastSign = Math.floor(now)
        return this.#hear(message)
      case 'mark':
        this.#emit(this.playout.returned(message.name, now))
        return this.send()
      case 'dtmf':
        return this.typed('dtmf', message.digit)
      case 'stop':
        // After we have hung up, it is the confirmation.
        return this.hasEnded ? this.#hangUp.confirm() : this.#shell.handle({ type: 'stop' })
      case 'start':
      case 'other':
        return undefined
    }
  }

  protected transmit(peer: Peer, outgoing: Outgoing): void {
    const stream = this.#stream
    if (!stream) return undefined
    if ('samples' in outgoing) return peer.send(stream.sound(outgoing.samples))
    if ('clear' in outgoing) peer.send(stream.clear())
    return peer.send(stream.mark(outgoing.mark))
  }

  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    if (farewell === 'misbehaved') return peer.close(closeCodes.misbehaved, 'CARRIER_MISBEHAVED')
    return peer.close(closeCodes.ended, farewell)
  }

  protected override isElsewhere(): boolean {
    const { place } = this.#life
    return place === 'asking' || place === 'ringing' || place === 'elsewhere'
  }

  protected override isComingBack(): boolean {
    return this.#life.place === 'pressing' || this.#life.place === 'returning'
  }

  /** The machine waits for a caller who is with somebody else, or while keys are pressed. A carrier may leave without `stop`. */
  protected override peerLeft(end: PeerEnd): void {
    const { place } = this.#life
    if (this.isElsewhere() || place === 'pressing') return this.#shell.handle({ type: 'stop' })
    if (place !== 'stopped') super.peerLeft(end)
  }

  /** Closing the stream should end the call too, since no document follows it. But a carrier may keep the call open. */
  protected override release(): void {
    this.#recording?.end()
    this.#keys.end()
    this.#hangUp.ask()
  }

  protected override async confirmEnd(): Promise<boolean> {
    await this.#hangUp.settled(limits.request)
    return this.#hangUp.confirmed
  }

  protected override endReason(): string {
    if (this.isElsewhere()) return 'the call goes on without us'
    return this.#hangUp.confirmed ? 'the call has ended' : 'the end of the call is not confirmed'
  }

  protected override connectError(): Error {
    return new StreamMissingError(this.id, this.#options.connectTimeout)
  }

  protected misbehaviour(what: string): Error {
    return new CarrierMisbehavedError(this.id, what)
  }

  #carryOut(command: Exclude<LifeCommand, TimerCommand<string>>): void {
    switch (command.type) {
      case 'redirect':
        return this.#redirect()
      case 'recall':
        this.#recall().catch(noop)
        return undefined
      case 'look':
        this.#far
          .look()
          .then((found) => this.#shell.handle({ type: 'looked', found }))
          .catch(noop)
        return undefined
      case 'wait':
        return this.expectPeer(false)
      case 'expect':
        return this.expectPeer()
      case 'settle': {
        const settle = this.#settleTransfer
        this.#settleTransfer = undefined
        return settle?.({ outcome: command.outcome, why: command.why })
      }
      case 'keys':
        return this.#keys.settle(command)
      case 'hung-up':
        this.#hangUp.confirm()
        return this.hungUp()
      case 'taken':
        return this.events?.handedOver()
    }
  }

  #recordAll(): void {
    this.record('start')
      .then((confirmed) => {
        if (!confirmed && !this.hasEnded) this.#options.notRecorded()
      })
      .catch(noop)
  }

  #redirect(): void {
    const request = ++this.#requests
    this.#far
      .redirect(this.#document)
      // What is asked for now was asked for later.
      .then((answer) => request === this.#requests && this.#shell.handle({ type: 'asked', ...answer }))
      .catch(noop)
  }

  /** Has the carrier connect the call to us again. A caller who cannot be brought back is not left alone: the call ends. */
  async #recall(): Promise<void> {
    const isAway = (): boolean => this.#life.place === 'returning'
    const { how } = await this.#far.insist(redirectDocument(`${this.#options.base}/transfer`), isAway)
    if (how === 'gone') return this.#shell.handle({ type: 'ended' })
    if (how === 'accepted' || !isAway()) return
    this.#hangUp.ask()
    this.lost()
  }

  #hear(sound: Sound): void {
    if (this.#options.far.carrier.keepsOrder) return this.#emitFrame(sound.bytes)
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
