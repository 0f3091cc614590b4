import { noop, type Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import { Changes } from './changes.ts'
import type { CallContext } from './twilio-call-context.ts'
import { endFields } from './twilio-end-fields.ts'
import type { CallEnder, CallState, TwilioCallEvent, TwilioCallEventDetails } from './twilio-events.ts'
import { LegMedia, type StreamManners } from './twilio-media.ts'
import { StatusReports, type StatusCallback } from './twilio-status.ts'
import type { HangUpWay } from './twilio-stream.ts'
import {
  callFields,
  TwilioWebhooks,
  type CallDirection,
  type CallIds,
  type WebhookOptions,
} from './twilio-webhooks.ts'

/** How a call treats its application. */
export interface LegManners extends WebhookOptions, StreamManners {
  /** Milliseconds by which `<Play digits>` takes longer than its keys. `never`: it does not end. Default: 0. */
  readonly keysDelay?: number | 'never'
}

export interface LegOptions {
  readonly from: string
  readonly to: string
  readonly direction: CallDirection
  /** The sid of the call whose `<Dial>` rings this one. */
  readonly parent?: string
  readonly manners: LegManners
  readonly status?: StatusCallback
  /** Whether somebody picks up at the instant the application ends the call. Default: false. */
  readonly answersAtHangUp?: boolean
  readonly onEvent: (event: TwilioCallEvent) => void
}

/** The documents that a leg executes. Another one can take their place. */
export interface LegRun {
  stop(): void
}

export interface LegEnd {
  readonly by: CallEnder
  /** Default: `completed`. */
  readonly state?: CallState
  /** Default: as the manners say. */
  readonly way?: HangUpWay
  /** Why nobody answered, as a SIP status. */
  readonly sip?: number
}

/** One leg of a call at the carrier: its state, its sound and its requests. */
export class CallLeg {
  readonly sid: string
  readonly ids: CallIds
  readonly context: CallContext
  readonly media: LegMedia
  readonly webhooks: TwilioWebhooks
  readonly manners: LegManners
  readonly events: TwilioCallEvent[] = []
  state: CallState
  endedBy: CallEnder | undefined
  /** The carrier's verdict on who answered. */
  answeredBy: string | undefined
  /** When the call was answered. */
  answeredAt: number | undefined
  endedAt: number | undefined
  run: LegRun | undefined
  /** Whether a redirect took the leg out of the `<Dial>` that rang it. */
  detached = false
  /** The URL that relative URLs in TwiML refer to. */
  base = ''
  readonly startedAt: number
  readonly #options: LegOptions
  readonly #changes = new Changes()
  readonly #timers = new Set<Timer>()
  /** Timers that outlive the call. */
  readonly #lateTimers = new Set<Timer>()
  readonly #status: StatusReports | undefined
  #aborted = false

  constructor(context: CallContext, options: LegOptions) {
    const { from, to, direction, parent, manners, status } = options
    this.context = context
    this.#options = options
    this.manners = manners
    this.startedAt = context.clock.now()
    this.state = direction === 'inbound' ? 'ringing' : 'queued'
    this.sid = context.newId('CA')
    this.ids = { sid: this.sid, from, to, direction, ...(parent === undefined ? {} : { parent }) }
    this.webhooks = new TwilioWebhooks(callFields(context.account, this.ids), context, manners, () =>
      this.changed(),
    )
    this.#status = status && new StatusReports(context, this.webhooks, status)
    this.media = new LegMedia({
      context,
      ids: this.ids,
      manners,
      emit: (details) => this.emit(details),
      changed: () => this.changed(),
    })
  }

  /** Whether the call has ended. */
  get over(): boolean {
    return this.endedBy !== undefined
  }

  get answered(): boolean {
    return this.answeredAt !== undefined
  }

  /** Whole seconds from the answer, or from the start if there was none, until now or the end. */
  get duration(): number {
    const from = this.answeredAt ?? this.startedAt
    return Math.round(((this.endedAt ?? this.context.clock.now()) - from) / 1_000)
  }

  /** The number of open connections: streams and unfinished requests. */
  get open(): number {
    return this.media.open + this.webhooks.open
  }

  initiates(): void {
    this.state = 'initiated'
    this.#status?.report('initiated', this.state)
    this.emit({ type: 'initiated' })
  }

  rings(): void {
    this.state = 'ringing'
    this.#status?.report('ringing', this.state)
    this.emit({ type: 'ringing' })
  }

  answers(): void {
    if (this.over || this.answered) return
    this.state = 'in-progress'
    this.answeredAt = this.context.clock.now()
    this.media.answered()
    this.#status?.report('answered', this.state)
    this.emit({ type: 'answered' })
  }

  /** The application is about to end the call: a race that the person may win. */
  aboutToEnd(): void {
    if (this.state === 'ringing' && this.#options.answersAtHangUp) this.answers()
  }

  end({ by, state = 'completed', way = this.#options.manners.leaves ?? 'politely', sip }: LegEnd): void {
    if (this.over) return
    this.state = state
    this.endedBy = by
    this.endedAt = this.context.clock.now()
    for (const timer of this.#timers) timer.clear()
    this.#timers.clear()
    this.media.end(way)
    this.emit({ type: 'ended', by })
    this.#status?.report('completed', state, {
      CallDuration: String(this.answered ? this.duration : 0),
      ...(this.answeredBy === undefined ? {} : { AnsweredBy: this.answeredBy }),
      ...endFields(this.context.dialect, { by, state, ...(sip === undefined ? {} : { sip }) }),
    })
  }

  /** Ends the call and breaks all its connections now. */
  abort(): void {
    this.end({ by: 'carrier', way: 'cut' })
    this.#aborted = true
    for (const timer of this.#lateTimers) timer.clear()
    this.webhooks.abort()
    this.media.cut()
  }

  /** Calls back once, unless the call ends first. */
  after(ms: number, name: string, callback: () => void): Timer {
    return this.#schedule(this.#timers, ms, name, callback)
  }

  /** Calls back once, even after the call has ended, unless it was aborted. */
  afterwards(ms: number, name: string, callback: () => void): Timer {
    if (this.#aborted) return { clear: noop }
    return this.#schedule(this.#lateTimers, ms, name, callback)
  }

  /** Resolves when the condition is true. It is checked after each event and each frame. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  emit(details: TwilioCallEventDetails): void {
    const event = { at: this.context.clock.now() - this.startedAt, ...details }
    this.events.push(event)
    this.#options.onEvent(event)
    this.changed()
  }

  changed(): void {
    this.#changes.notify()
    this.context.changed()
  }

  #schedule(timers: Set<Timer>, ms: number, name: string, callback: () => void): Timer {
    const timer = outsideTimer(this.context.clock, ms, name, () => {
      timers.delete(timer)
      callback()
    })
    timers.add(timer)
    return timer
  }
}
