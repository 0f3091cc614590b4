import type { CallContext } from './twilio-call-context.ts'
import { TwilioCall, type TwilioCallOptions } from './twilio-call.ts'
import { CallLeg, type LegOptions } from './twilio-leg.ts'
import { TwilioPerson, type TwilioPersonOptions } from './twilio-person.ts'
import { ringPerson } from './twilio-ring.ts'
import { TwimlRun } from './twilio-run.ts'
import { statusCallback } from './twilio-status.ts'
import type { DocumentSource, Exchange, RingOptions } from './twilio-verb.ts'

export interface ExchangeOptions {
  /** The context of a call whose application is reached at this URL. */
  readonly contextFor: (url?: string) => CallContext
  /** A callback of the test threw. */
  readonly failed: (error: unknown) => void
}

/** All calls of a carrier and all people it can ring. */
export class TwilioExchange implements Exchange {
  /** All calls, the oldest first. */
  readonly calls: TwilioCall[] = []
  readonly #legs = new Map<string, CallLeg>()
  readonly #people = new Map<string, TwilioPerson>()
  readonly #options: ExchangeOptions

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  find(sid: string): CallLeg | undefined {
    return this.#legs.get(sid)
  }

  forget(call: TwilioCall): void {
    const at = this.calls.indexOf(call)
    if (at >= 0) this.calls.splice(at, 1)
    this.#legs.delete(call.sid)
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

  ring({ to, from, timeout, parent, status }: RingOptions): CallLeg {
    const person = this.#people.get(to)
    const { leg, call } = this.#add(parent?.context ?? this.#options.contextFor(), person?.options.onEvent, {
      from,
      to,
      direction: parent ? 'outbound-dial' : 'outbound-api',
      manners: person?.options ?? {},
      ...(parent ? { parent: parent.sid } : {}),
      ...(status ? { status } : {}),
    })
    leg.base = parent?.base ?? ''
    person?.calls.push(call)
    ringPerson(leg, { timeout, person: person?.options, ringing: () => person?.options.onCall?.(call) })
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
