import type { AudioFrame } from '../audio/index.ts'
import type { ConnectionReport, LineConnection, LineEvents, PartContext } from '../parts/index.ts'
import { noop, type Clock, type Resource, type Scope, type Timer } from '../scope/index.ts'
import type { CallOptions, Farewell } from './call-options.ts'
import { CallerGoneError, CallsClosedError } from './errors.ts'
import { limits } from './limits.ts'
import type { Peer, PeerEnd, PeerOwner } from './peer.ts'
import type { Playout } from './playout.ts'
import { RateLimit } from './rate-limit.ts'
import { Watchdog } from './watchdog.ts'

/**
 * One call, from the first ring until its last peer has left.
 *
 *                answer()                 join()
 *   ringing ────────────────▶ connecting ────────▶ here ◀───────────┐
 *      │                           │               │  │ left        │ join()
 *      │                           │               │  ▼             │
 *      │                           │               │ away ──────────┘
 *      │ answerTimeout             │ connect-      │  │ rejoinTimeout
 *      │ dismiss()                 │ Timeout       │  │
 *      ▼                           ▼               ▼  ▼
 *   ended ◀── from anywhere: hungUp() · lost() · misbehaved() · dismiss() · close() · abort()
 *
 * A call that has its peer when it is answered goes straight to `here`. Each phase has one timer, which the next phase
 * clears. In `here`, sound is sent once the line's own handshake is complete (`ready()`), and the timer is the watchdog.
 * A line extends this class with its wire and its playout: what to send to a peer, and what its messages mean.
 */
export abstract class BaseCall<Outgoing = unknown> implements LineConnection, Resource, PeerOwner {
  readonly id: string
  protected abstract readonly playout: Playout<Outgoing>
  protected peer: Peer | undefined
  /** The session that answered. Unset again at the end, so that nothing can be emitted after it. */
  protected events: LineEvents | undefined
  protected readonly watchdog: Watchdog
  /** Whether sound may be sent. */
  protected isReady = false
  /** How many peers have become ready. */
  protected generation = 0
  /** Called when the session begins to close. Set by a line while there is something to do then. */
  protected onClosing: (() => void) | undefined
  callerHungUp = false
  readonly #options: CallOptions
  readonly #clock: Clock
  readonly #budget: RateLimit
  readonly #typed: RateLimit
  #phase: 'ringing' | 'connecting' | 'here' | 'away' | 'ended' = 'ringing'
  #context: PartContext | undefined
  #timer: Timer | undefined
  #pings: Timer | undefined
  #resend: Timer | undefined
  #dropped = false
  /** Whether the session knows that the caller is away. */
  #awayKnown = false
  /** Whether the call goes on in another process. */
  #handedOver = false
  #reported = false
  #overflowed = false
  #lastEnd: PeerEnd | undefined
  #connected: () => void = noop
  #neverConnected: (error: unknown) => void = noop
  #waiting: (() => void)[] = []

  constructor(options: CallOptions) {
    const { id, calls, answerTimeout, lostTimeout, messages } = options
    this.id = id
    this.#options = options
    this.#clock = calls.scope.clock
    this.#budget = new RateLimit(messages, this.now())
    this.#typed = new RateLimit(limits.typed, this.now())
    this.watchdog = new Watchdog(lostTimeout)
    this.#timer = calls.scope.after(answerTimeout, `answer to call ${id}`, () => this.dismiss('unanswered'))
  }

  // ── implemented by each line ──

  /** A peer has joined: greet it, or call `ready()` if there is no handshake. */
  protected abstract greet(peer: Peer): void
  /** Handles a message of the peer. May call any method of the call, and may throw. */
  protected abstract receive(data: string | Uint8Array, now: number): void
  /** Sends what the playout has returned. */
  protected abstract transmit(peer: Peer, outgoing: Outgoing): void
  /** Tells the peer that the call has ended, and closes it. */
  protected abstract sayGoodbye(peer: Peer, farewell: Farewell): void
  /** The close code and reason for a peer that another one replaces. */
  protected abstract readonly replaced: { readonly code: number; readonly reason: string }
  /** Asks the peer for a sign of life, four times per `lostTimeout`. For peers that say nothing by themselves. */
  protected ping?(peer: Peer): void
  /** The error for a call whose first peer did not join within `connectTimeout`. */
  protected connectError?(): unknown
  /** The error for a peer that broke the protocol. */
  protected abstract misbehaviour(what: string): Error
  /** The call has ended: release what the line holds for it. */
  protected release?(): void
  /** Resolves to whether the far end has confirmed the end of the call, once that is known. */
  protected confirmEnd?(): Promise<boolean>
  /** How the call ended, for the report. Default: the reason in the peer's close frame. */
  protected endReason?(): string
  /** Whether the far end has connected the caller to somebody else. */
  protected isElsewhere?(): boolean
  /** Whether the far end has taken the peer away for a moment, as it was asked to. */
  protected isComingBack?(): boolean

  // ── called by the session ──

  play(frame: AudioFrame): void {
    if (this.events) this.send(frame)
  }

  mark(id: number): void {
    if (!this.events) return
    this.playout.mark(id)
    this.send()
  }

  clear(): void {
    if (!this.events) return
    const outgoing = this.playout.clear(this.now())
    // Never waits, however congested the peer is.
    if (this.peer && this.isReady) this.transmit(this.peer, outgoing)
  }

  closing(): void {
    this.clear()
    this.onClosing?.()
    // From here on nothing is sent but the goodbye.
    this.isReady = false
  }

  async close(): Promise<void> {
    // A peer that is away was cut off before anyone asked to close.
    if (this.#phase === 'away' && !this.isHandedOver && !this.isComingBack?.()) this.#dropped = true
    this.#end('ended')
    const confirming = this.isHandedOver ? undefined : this.confirmEnd?.()
    await this.#peerGone()
    const confirmed = confirming && (await confirming)
    this.#report(this.#dropped ? 'dropped' : confirmed ? 'acknowledged' : 'closed')
  }

  abort(): void {
    this.#end()
    this.peer?.abort()
    this.#report(this.#dropped ? 'dropped' : 'aborted')
  }

  inspect(): object {
    const unheard = Math.round(this.playout.unheard)
    return { call: this.id, state: this.#phase, generation: this.generation, unheard }
  }

  // ── called by `BaseCalls` and `BaseLine` ──

  /** Whether a session has answered. */
  get answered(): boolean {
    return this.#context !== undefined
  }

  get hasEnded(): boolean {
    return this.#phase === 'ended'
  }

  /** Whether the call goes on when it ends here: in another process, or at the far end. */
  get isHandedOver(): boolean {
    return this.#handedOver || this.isElsewhere?.() === true
  }

  /** Whether a peer may join or come back: not to a session that is closing. */
  get welcomes(): boolean {
    return !this.hasEnded && (this.#context === undefined || this.#context.scope.state === 'live')
  }

  /** Answers for a session. Resolves when the caller is connected; rejects if the call ends before. */
  answer(context: PartContext, events: LineEvents): Promise<void> {
    const connected = new Promise<void>((resolve, reject) => {
      this.#connected = resolve
      this.#neverConnected = reject
    })
    // The session may have stopped waiting.
    connected.catch(noop)
    this.#context = context
    this.events = events
    const { connectTimeout = 0 } = this.#options
    const never = (): void => this.lost(this.connectError?.())
    if (this.peer) this.#arrive(this.peer, context.scope)
    else this.#enter('connecting', context.scope.after(connectTimeout, 'the caller connects', never))
    return connected
  }

  /** A peer joins. From now on, the peer that it replaces is ignored (LN4). */
  join(peer: Peer): void {
    const previous = this.peer
    this.peer = peer
    peer.owner = this
    if (previous) this.#options.calls.turnAway(previous, this.replaced.code, this.replaced.reason)
    if (this.#context) this.#arrive(peer, this.#context.scope)
  }

  /** Ends the call because no session answers it, or because the server is closing. */
  dismiss(farewell: 'unanswered' | 'closing'): void {
    if (!this.answered) return this.#end(farewell)
    return this.#lose('closing', new CallsClosedError(this.id))
  }

  /** The call goes on in another process: when it ends here, the far end is not asked to end it. */
  letGo(): void {
    this.#handedOver = true
  }

  /** Ends the call and cuts its peer, now. */
  cut(): void {
    this.dismiss('closing')
    this.peer?.abort()
  }

  /** Resolves when nothing of the call is left. */
  async released(): Promise<void> {
    await this.#peerGone()
  }

  // ── called by the peer ──

  message(data: string | Uint8Array): void {
    const now = this.now()
    if (this.#budget.take(now)) this.receive(data, now)
    else this.misbehaved('it sends too many messages')
  }

  controlFrame(): void {
    if (!this.#budget.take(this.now())) this.misbehaved('it sends too many control frames')
  }

  failed(error: unknown): void {
    this.lost(error)
  }

  left(end: PeerEnd): void {
    this.peer = undefined
    this.#lastEnd = end
    for (const resolve of this.#waiting.splice(0)) resolve()
    if (this.#phase === 'here') this.peerLeft(end)
    else if (this.#phase === 'ringing' && this.#options.connectTimeout === undefined) this.#end()
  }

  // ── used by each line ──

  /** The handshake with the peer is complete: sound may be sent. */
  protected ready(): void {
    this.generation++
    this.isReady = this.#context?.scope.state === 'live'
  }

  /** Emits a typed text or a key, unless there are too many (LN7). */
  protected typed(what: 'text' | 'dtmf', value: string): void {
    if (this.#typed.take(this.now())) this.events?.[what](value)
    else this.misbehaved('it sends too many texts or keys')
  }

  /** Queues a frame, if there is a new one. Then sends what the peer should have by now, as long as it keeps up. */
  protected send(frame?: AudioFrame): void {
    const { peer, playout } = this
    const now = this.now()
    if (frame && !playout.play(frame, now)) return this.#overflow()
    if (!peer || !this.isReady) return undefined
    let next: Outgoing | undefined
    do {
      if (peer.buffered > limits.congested) return this.#sendLater()
      next = playout.next(now)
      if (next) this.transmit(peer, next)
    } while (next)
    return playout.paced ? this.#sendLater() : undefined
  }

  /** The peer left, and the call did not end. By default, waits for the peer to come back. */
  protected peerLeft(_end: PeerEnd): void {
    this.expectPeer()
  }

  /** Waits for a peer to come back: for `rejoinTimeout`, or as long as it takes. */
  protected expectPeer(bounded = true): void {
    if (this.#phase !== 'here' && this.#phase !== 'away') return
    const { scope } = this.#context!
    const left = this.#phase === 'here'
    this.#enter('away')
    if (!bounded || scope.state !== 'live') return
    this.#timer = scope.after(this.#options.rejoinTimeout, 'the caller may come back', () => this.lost())
    this.#awayKnown ||= left
    if (left) this.events?.away?.()
  }

  protected hungUp(): void {
    if (this.#phase === 'ended') return
    this.callerHungUp = true
    this.#end('hung-up', (events) => events.hungUp())
  }

  /** The peer broke the protocol: cuts it off, and the call is lost. */
  protected misbehaved(what: string): void {
    this.#lose('misbehaved', this.misbehaviour(what))
  }

  /** The caller will not come back. What is not known to have been heard counts as unheard. */
  protected lost(error?: unknown): void {
    this.#lose(undefined, error)
  }

  protected now(): number {
    return this.#clock.now()
  }

  // ── phases ──

  #enter(phase: 'connecting' | 'here' | 'away' | 'ended', timer?: Timer): void {
    this.#phase = phase
    this.isReady = false
    this.#timer?.clear()
    this.#pings?.clear()
    this.#resend?.clear()
    this.#timer = timer
    this.#pings = this.#resend = undefined
  }

  #arrive(peer: Peer, scope: Scope<string>): void {
    const isBack = this.#awayKnown
    this.#awayKnown = false
    this.#enter('here')
    this.#watch(scope, this.watchdog.start(this.now()))
    if (this.ping) this.#pings = scope.every(this.#options.lostTimeout / 4, 'ping', () => this.ping?.(peer))
    this.greet(peer)
    this.#connected()
    if (isBack) this.events?.back?.()
  }

  #watch(scope: Scope<string>, wait: number): void {
    this.#timer = scope.after(wait, 'sign of life from the caller', () => {
      const next = this.watchdog.check(this.now())
      if (next > 0) this.#watch(scope, next)
      else this.lost()
    })
  }

  /** Peers have no drain event, and nothing announces that sound is due. */
  #sendLater(): void {
    const { scope } = this.#context!
    if (this.#resend || scope.state !== 'live') return
    this.#resend = scope.after(this.#options.resendEvery, 'the peer takes more', () => {
      this.#resend = undefined
      this.send()
    })
  }

  #overflow(): void {
    if (this.#overflowed) return
    this.#overflowed = true
    this.#context?.logger.warn({ call: this.id }, 'too much sound is queued')
  }

  // ── ends ──

  #lose(farewell: Farewell | undefined, error: unknown): void {
    if (this.#phase === 'ended') return
    this.#dropped = true
    this.#end(farewell, (events) => events.lost(error))
  }

  /** The one way out of every phase. Without a farewell the peer is cut. */
  #end(farewell?: Farewell, notify?: (events: LineEvents) => void): void {
    if (this.#phase === 'ended') return
    const { peer, events } = this
    if (this.#phase === 'connecting') this.#neverConnected(new CallerGoneError(this.id))
    this.#enter('ended')
    this.events = undefined
    const released = this.released()
    // A peer of a call that goes on elsewhere is cut off, and not told that the call has ended: it comes back.
    if (peer && farewell && !this.isHandedOver) this.sayGoodbye(peer, farewell)
    else peer?.abort()
    if (!this.isHandedOver) this.release?.()
    this.#options.calls.ended(this.id, released)
    if (!events || !notify) return
    for (const { id, heard } of this.playout.giveUp()) events.marked(id, heard, this.playout.assumed)
    notify(events)
  }

  #peerGone(): Promise<void> {
    return new Promise((resolve) => (this.peer ? this.#waiting.push(resolve) : resolve()))
  }

  /** Writes how the connection ended into the session's report, once. */
  #report(how: ConnectionReport['how']): void {
    if (this.#reported) return
    this.#reported = true
    const { code, reason = this.#lastEnd?.reason } = { ...this.#lastEnd, reason: this.endReason?.() }
    this.#context?.ended({
      name: this.#options.name,
      how,
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
      retries: Math.max(0, this.generation - 1),
    })
  }
}
