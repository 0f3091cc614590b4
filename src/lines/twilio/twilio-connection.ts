import { decodeMuLaw, encodeMuLaw, type AudioFrame } from '../../audio/index.ts'
import type { LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { noop, type Resource, type SocketEnd, type Timer } from '../../scope/index.ts'
import { CallerGoneError, CallsClosedError } from '../errors.ts'
import { Watchdog } from '../watchdog.ts'
import { closeCodes, type CallStream, type StreamEvents } from './call-stream.ts'
import { CarrierPlayout, type HeardMark } from './carrier-playout.ts'
import { CarrierMisbehavedError, HangUpUnconfirmedError, StreamMissingError } from './errors.ts'
import type { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'

export interface ConnectionOptions {
  readonly name: string
  readonly call: string
  readonly hangUp: HangUp
  /** How long the stream of a call that was answered may take to come. */
  readonly connectTimeout: number
  /** How long a stream that was cut may take to come back (LN1). */
  readonly rejoinTimeout: number
  /** How long no sound may come from the caller (LN2). */
  readonly lostTimeout: number
  /** The call is over. */
  readonly over: () => void
}

/**
 * One call on the phone, once it was answered.
 *
 *                stream                 stop, or a status that says so
 *   expected ──────────────▶ here ────────────────────────────────────▶ over: hungUp
 *      │                     │  ▲                                             ▲
 *      │ connectTimeout      │  │ a new stream of the same call               │ status
 *      │              cut    ▼  │                                             │
 *      ▼                    away ─────────────────────────────────────────────┘
 *   over: lost ◀── rejoinTimeout, or no sound for lostTimeout, or nonsense
 *
 * However it is over, the carrier is asked to end the call unless it has said that it is: a call that nobody listens to
 * costs as much as any other. That it has not confirmed stands in the report.
 */
export class TwilioConnection implements LineConnection, Resource, StreamEvents {
  /** Settles when the stream is there, or will never be. */
  readonly started: Promise<void>
  readonly #options: ConnectionOptions
  readonly #context: PartContext
  readonly #events: LineEvents
  readonly #stream: CallStream
  readonly #playout = new CarrierPlayout()
  readonly #watchdog: Watchdog
  #begin!: () => void
  #fail!: (error: unknown) => void
  /** How often a stream has come. The stream before is fenced by the one that came last (LN4). */
  #generation = 0
  /** Nothing more is to be heard. */
  #muted = false
  #over = false
  #told = false
  #dropped = false
  #end: SocketEnd | undefined
  #away: Timer | undefined
  #look: Timer | undefined
  #overflowed = false

  constructor(stream: CallStream, context: PartContext, events: LineEvents, options: ConnectionOptions) {
    const { scope } = context
    this.#stream = stream
    this.#context = context
    this.#events = events
    this.#options = options
    this.#watchdog = new Watchdog(scope, options.lostTimeout, () => this.#vanished())
    this.started = new Promise((resolve, reject) => {
      this.#begin = resolve
      this.#fail = reject
    })
    // Whoever opens the line may have gone, too.
    this.started.catch(noop)
    stream.listen(this)
    if (stream.here) this.joined()
    else this.#expect()
  }

  /** Whether a stream may come, or come back. */
  get welcomes(): boolean {
    return !this.#over && this.#context.scope.state === 'live'
  }

  // ── what a session does ──

  play({ samples }: AudioFrame): void {
    if (this.#muted || this.#over) return
    if (this.#playout.play(encodeMuLaw(samples), this.#now())) return this.#send()
    if (!this.#overflowed) this.#context.logger.warn({ call: this.#options.call }, 'too much sound is queued')
    this.#overflowed = true
  }

  mark(id: number): void {
    if (this.#over) return
    this.#playout.mark(id)
    this.#send()
  }

  clear(): void {
    if (this.#over) return
    const name = this.#playout.clear(this.#now())
    this.#look?.clear()
    this.#look = undefined
    this.#stream.clear()
    this.#stream.mark(name)
  }

  // ── what the scope does ──

  closing(): void {
    this.clear()
    this.#muted = true
  }

  async close(): Promise<void> {
    const { hangUp, call } = this.#options
    // One that is away, or never came, was cut off before anybody asked.
    this.#dropped ||= !this.#over && !this.#stream.here && this.#generation > 0
    this.#finish()
    // Closing the stream ends the call, since nothing is told to the carrier that comes after it. That is not asked:
    // a carrier can answer the close frame, and go on.
    if (!hangUp.confirmed) hangUp.ask()
    this.#stream.close(closeCodes.over, 'ended').catch(noop)
    await Promise.all([this.#stream.ended(), hangUp.settled(limits.request)])
    this.#report(this.#dropped ? 'dropped' : hangUp.confirmed ? 'acknowledged' : 'closed')
    if (!hangUp.confirmed && hangUp.possible) throw new HangUpUnconfirmedError(call, hangUp.problem)
  }

  abort(): void {
    const { hangUp } = this.#options
    this.#finish()
    this.#stream.abort()
    if (!hangUp.confirmed) hangUp.ask()
    this.#report(this.#dropped ? 'dropped' : 'aborted')
  }

  inspect(): object {
    const { call, hangUp } = this.#options
    const state = this.#over
      ? 'over'
      : this.#stream.here
        ? 'here'
        : this.#generation > 0
          ? 'away'
          : 'expected'
    const unheard = Math.round(this.#playout.unheard)
    return { call, state, generation: this.#generation, unheard, ended: hangUp.confirmed }
  }

  // ── what the carrier does ──

  joined(): void {
    this.#away?.clear()
    this.#generation++
    this.#tell(this.#generation > 1 ? this.#playout.joined() : [])
    this.#watchdog.start()
    this.#begin()
    this.#send()
  }

  message(message: Parameters<StreamEvents['message']>[0]): void {
    // Also after we have hung up: then it is the answer.
    if (message.type === 'stop') return this.hungUp()
    if (this.#over) return undefined
    switch (message.type) {
      case 'sound':
        this.#watchdog.sign()
        return this.#events.frame({ samples: decodeMuLaw(message.bytes), sampleRate: 8_000 })
      case 'mark':
        this.#tell(this.#playout.returned(message.name, this.#now()))
        return this.#send()
      case 'dtmf':
        return this.#events.dtmf(message.digit)
    }
  }

  misbehaved(what: string): void {
    this.#stream.close(closeCodes.misbehaved, 'CARRIER_MISBEHAVED').catch(noop)
    this.#lost(new CarrierMisbehavedError(this.#options.call, what))
  }

  left(end: SocketEnd): void {
    this.#end = end
    this.#stop()
    if (!this.welcomes) return
    const { rejoinTimeout } = this.#options
    this.#away = this.#context.scope.after(rejoinTimeout, 'the stream may come back', () => this.#lost())
  }

  /** The carrier says that the call is over. */
  hungUp(): void {
    this.#options.hangUp.confirm()
    if (this.#over) return
    this.#finish()
    this.#stream.close(closeCodes.over, 'ended').catch(noop)
    this.#tell(this.#playout.giveUp())
    this.#events.hungUp()
  }

  /** There is no server any more. */
  cutOff(): void {
    if (this.#over) return
    this.#stream.close(closeCodes.over, 'closing').catch(noop)
    this.#lost(new CallsClosedError(this.#options.call))
  }

  // ── ends ──

  /** No sound comes, and the socket lives: there is nobody to say goodbye to. */
  #vanished(): void {
    this.#stream.abort()
    this.#lost()
  }

  /** It will not come back. What is not known to have been heard was not. */
  #lost(error?: unknown): void {
    if (this.#over) return
    this.#dropped = true
    this.#finish()
    this.#options.hangUp.ask()
    this.#tell(this.#playout.giveUp())
    this.#events.lost(error)
  }

  #tell(marks: readonly HeardMark[]): void {
    for (const { id, heard } of marks) this.#events.marked(id, heard)
  }

  /** Sends what the carrier should have by now. */
  #send(): void {
    if (!this.#stream.here || this.#over) return
    while (this.#stream.buffered <= limits.congested) {
      const next = this.#playout.next(this.#now())
      if (!next) break
      if (next.type === 'sound') this.#stream.sound(next.bytes)
      else this.#stream.mark(next.name)
    }
    if (!this.#playout.waits || this.#look || this.#context.scope.state !== 'live') return
    this.#look = this.#context.scope.after(limits.look, 'the carrier takes more', () => {
      this.#look = undefined
      this.#send()
    })
  }

  #expect(): void {
    const { connectTimeout, call } = this.#options
    this.#away = this.#context.scope.after(connectTimeout, 'the stream of the call', () =>
      this.#lost(new StreamMissingError(call, connectTimeout)),
    )
  }

  #stop(): void {
    this.#watchdog.stop()
    this.#look?.clear()
    this.#look = undefined
  }

  #finish(): void {
    this.#stop()
    this.#away?.clear()
    if (this.#over) return
    this.#over = true
    this.#fail(new CallerGoneError(this.#options.call))
    this.#options.over()
  }

  /** How it ended stands in the session's report, once. */
  #report(how: 'acknowledged' | 'closed' | 'aborted' | 'dropped'): void {
    if (this.#told) return
    this.#told = true
    const { name, hangUp } = this.#options
    const code = this.#end?.code
    this.#context.ended({
      name,
      how,
      ...(code === undefined ? {} : { code }),
      reason: hangUp.confirmed ? 'the call is over' : 'the end of the call is not confirmed',
      retries: Math.max(0, this.#generation - 1),
    })
  }

  #now(): number {
    return this.#context.scope.clock.now()
  }
}
