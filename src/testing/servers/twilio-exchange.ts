import { noop } from '../../scope/index.ts'
import type { CallContext } from './twilio-call-context.ts'
import { TwilioCall, type TwilioCallOptions } from './twilio-call.ts'
import { Conference } from './twilio-conference.ts'
import { BEEP, detectBeside, GREETING, type AnsweringMachine } from './twilio-detection.ts'
import { CallLeg, type LegOptions } from './twilio-leg.ts'
import { runOutbound, type OutboundCall } from './twilio-outbound.ts'
import { TwilioPerson, type TwilioPersonOptions } from './twilio-person.ts'
import { CallRecording, type RecordingOptions } from './twilio-recording.ts'
import { ringPerson, SIP } from './twilio-ring.ts'
import type { FormAnswer } from './twilio-post.ts'
import { TwimlRun } from './twilio-run.ts'
import { statusCallback } from './twilio-status.ts'
import type { DocumentSource, Exchange, RingOptions } from './twilio-verb.ts'
import { TwilioWebhooks } from './twilio-webhooks.ts'

export interface ExchangeOptions {
  /** The context of a call whose application is reached at this URL. */
  readonly contextFor: (url?: string) => CallContext
  readonly now: () => number
  /** The numbers that the application may call from. Default: all. */
  readonly numbers: readonly string[] | undefined
  /** Milliseconds between the starts of two calls over REST. */
  readonly pace: number
  /** A callback of the test threw. */
  readonly failed: (error: unknown) => void
}

/** All calls of a carrier and all people it can ring. */
export class TwilioExchange implements Exchange {
  /** All calls, the oldest first. */
  readonly calls: TwilioCall[] = []
  readonly #legs = new Map<string, CallLeg>()
  readonly #people = new Map<string, TwilioPerson>()
  /** All conferences, the oldest first. */
  readonly conferences: Conference[] = []
  #recordings: CallRecording[] = []
  readonly #options: ExchangeOptions
  #nextStart = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  get legs(): readonly CallLeg[] {
    return [...this.#legs.values()]
  }

  /** The number of open connections to applications. */
  get open(): number {
    const ofCalls = this.calls.reduce((sum, call) => sum + call.open, 0)
    return this.conferences.reduce((sum, { webhooks }) => sum + webhooks.open, ofCalls)
  }

  /** Ends all calls and breaks their connections now. */
  abort(): void {
    for (const call of this.calls) call.abort()
    for (const { webhooks } of this.conferences) webhooks.abort()
  }

  find(sid: string): CallLeg | undefined {
    return this.#legs.get(sid)
  }

  forget(call: TwilioCall): void {
    const at = this.calls.indexOf(call)
    if (at >= 0) this.calls.splice(at, 1)
    this.#legs.delete(call.sid)
    this.#recordings = this.#recordings.filter(({ leg }) => leg.sid !== call.sid)
  }

  notify(url: string, form: Readonly<Record<string, string>>): Promise<FormAnswer> {
    const context = this.#options.contextFor(url)
    return new TwilioWebhooks({}, context, {}, context.changed).post(url, form)
  }

  person(number: string, options: TwilioPersonOptions): TwilioPerson {
    const person = new TwilioPerson(number, options)
    this.#people.set(number, person)
    return person
  }

  /** Calls a webhook, as when somebody dials the application's number. It rings at once. */
  place(webhook: string, options: TwilioCallOptions): TwilioCall {
    const { from = '+15550100', to = '+15550199', onEvent, repeats = 0 } = options
    const status = statusCallback(options.statusCallback, [])
    const { leg, call } = this.#add(this.#options.contextFor(webhook), onEvent, {
      from,
      to,
      direction: 'inbound',
      manners: options,
      ...(status ? { status } : {}),
    })
    queueMicrotask(() => {
      try {
        leg.emit({ type: 'ringing' })
      } catch (error) {
        return this.#options.failed(error)
      }
      if (!leg.over) this.start(leg, { url: webhook, repeats })
    })
    return call
  }

  ring(options: RingOptions): CallLeg {
    const person = this.#people.get(options.to)
    const leg = this.#ring(options, person, 0)
    if (options.detection) detectBeside(leg, options.detection, person?.options)
    return leg
  }

  owns(number: string): boolean {
    const { numbers } = this.#options
    return numbers === undefined || numbers.includes(number)
  }

  /** Makes a call for an application. It is queued for as long as the pace of the carrier demands. */
  create(outbound: OutboundCall): CallLeg {
    const { now, pace } = this.#options
    const startsAt = Math.max(now(), this.#nextStart)
    this.#nextStart = startsAt + pace
    const person = this.#people.get(outbound.to)
    const leg = this.#ring(outbound, person, startsAt - now())
    runOutbound(leg, outbound, person?.options, this)
    return leg
  }

  record(leg: CallLeg, options: RecordingOptions): CallRecording {
    const recording = new CallRecording(leg, options)
    this.#recordings.push(recording)
    return recording
  }

  conference(name: string, context = this.#options.contextFor()): Conference {
    const known = this.conferences.findLast(
      (each) => each.sid === name || (each.name === name && each.status !== 'completed'),
    )
    if (known) return known
    const conference = new Conference(name, context)
    this.conferences.push(conference)
    return conference
  }

  referOutcome(address: string): { readonly sip: number; readonly after: number } {
    const person = this.#people.get(address)
    const { outcome = 'answers', answersAfter: after = 1_000 } = person?.options ?? {}
    return { sip: person ? SIP[outcome] : 404, after }
  }

  recordings(leg: CallLeg): readonly CallRecording[] {
    return this.#recordings.filter((each) => each.leg === leg)
  }

  #ring(
    { to, from, timeout, parent, status }: RingOptions,
    person: TwilioPerson | undefined,
    queued: number,
  ): CallLeg {
    const { leg, call } = this.#add(parent?.context ?? this.#options.contextFor(), person?.options.onEvent, {
      from,
      to,
      direction: parent ? 'outbound-dial' : 'outbound-api',
      manners: person?.options ?? {},
      answersAtHangUp: person?.options.answersAtHangUp ?? false,
      ...(parent ? { parent: parent.sid } : {}),
      ...(status ? { status } : {}),
    })
    leg.base = parent?.base ?? ''
    person?.calls.push(call)
    ringPerson(leg, {
      queued,
      timeout,
      person: person?.options,
      ringing: () => person?.options.onCall?.(call),
    })
    if (person?.options.machine) playMachine(leg, call, person.options.machine)
    return leg
  }

  /** Executes a document on a leg, and ends the leg after it. */
  start(leg: CallLeg, source: DocumentSource): void {
    this.execute(leg, source)
      .then((finished) => {
        if (finished) leg.end({ by: 'application', way: 'politely' })
      })
      .catch(this.#options.failed)
  }

  async execute(leg: CallLeg, source: DocumentSource): Promise<boolean> {
    const run = new TwimlRun(leg, this)
    const finished = await run.execute(source)
    if (!finished && run.active) leg.end({ by: 'application', way: 'politely' })
    return finished
  }

  /** Gives a leg another document. Its stream gets `stop`, and the call lives on. */
  redirect(leg: CallLeg, source: DocumentSource): void {
    leg.detached = true
    leg.emit({ type: 'redirected' })
    leg.media.leaveBridge()
    for (const conference of this.conferences) {
      const participant = conference.find(leg.sid)
      if (participant) conference.leave(participant, 'participant_updated_via_api')
    }
    this.start(leg, source)
  }

  #add(
    context: CallContext,
    onEvent: TwilioCallOptions['onEvent'],
    options: Omit<LegOptions, 'onEvent'>,
  ): { readonly leg: CallLeg; readonly call: TwilioCall } {
    const leg: CallLeg = new CallLeg(context, { ...options, onEvent: (event) => onEvent?.(event, call) })
    const call = new TwilioCall(leg)
    this.#legs.set(leg.sid, leg)
    this.calls.push(call)
    return { leg, call }
  }
}

/** Plays the greeting and the beep of an answering machine once it has picked up. */
function playMachine(
  leg: CallLeg,
  call: TwilioCall,
  { greeting = GREETING, beep = true }: AnsweringMachine,
): void {
  leg
    .until(() => leg.over || leg.answered)
    .then(() => call.says(greeting))
    .then(() => (beep ? call.says(BEEP) : undefined))
    .catch(noop)
}
