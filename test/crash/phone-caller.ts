import { systemClock, type Timer } from '../../src/scope/index.ts'
import type { TwilioCall, TwilioCallEvent, TwilioCarrier } from '../../src/testing/servers/index.ts'
import { Outages, type Caller } from './caller.ts'

export interface PhoneCallerOptions {
  readonly carrier: TwilioCarrier
  /** Where the hosts are reached. */
  readonly url: string
  /** Hangs up after this many milliseconds. */
  readonly lifetime: number
  readonly changed: () => void
  readonly onEvent?: (event: TwilioCallEvent) => void
}

/** Somebody on the phone, who listens and hangs up after a while. */
export class PhoneCaller implements Caller {
  readonly kind = 'phone'
  answered = false
  /** What the carrier was told to do instead of connecting the call. */
  readonly verbs: string[] = []
  /** The status of a webhook that failed. */
  refused: number | undefined
  /** Silences in the middle of a stream, in milliseconds. With an agent that never pauses, its sound was late. */
  readonly gaps: number[] = []
  readonly call: TwilioCall
  readonly #outages = new Outages()
  readonly #options: PhoneCallerOptions
  readonly #timer: Timer
  #quietAt: number | undefined

  constructor(options: PhoneCallerOptions) {
    const { carrier, url, lifetime } = options
    this.#options = options
    this.call = carrier.call(`${url}/phone/answer`, { onEvent: (event) => this.#on(event) })
    this.#timer = systemClock.after(lifetime, 'the caller hangs up', () => this.hangUp())
  }

  get id(): string {
    return this.call.sid
  }

  get over(): boolean {
    return this.call.over
  }

  get outages(): Outages['list'] {
    return this.#outages.list
  }

  get end(): string {
    if (this.refused !== undefined) return `webhook answered ${this.refused}`
    return `phone: ${this.call.endedBy ?? 'not over'}`
  }

  hangUp(): void {
    this.#timer.clear()
    this.call.hangUp()
  }

  abort(): void {
    this.#timer.clear()
    this.call.abort()
  }

  #on(event: TwilioCallEvent): void {
    const now = systemClock.now()
    if (event.type === 'speaks') {
      this.answered = true
      if (this.#quietAt !== undefined) this.gaps.push(now - this.#quietAt)
      this.#outages.heard(now)
    }
    if (event.type === 'quiet') this.#quietAt = now
    if (event.type === 'speaks' || event.type === 'stream-ended') this.#quietAt = undefined
    if (event.type === 'stream-ended' && this.answered && !this.over) this.#outages.broke(now)
    else if (event.type === 'refused') this.refused = event.status
    else if (event.type === 'verb') this.verbs.push(event.name)
    else if (event.type === 'ended') {
      this.#timer.clear()
      this.#forget()
    }
    this.#options.onEvent?.(event)
    this.#options.changed()
  }

  /** Otherwise the carrier would keep every call with all its sound. */
  #forget(): void {
    const { carrier } = this.#options
    this.call
      .gone()
      .then(() => carrier.forget(this.call))
      .catch(() => {})
  }
}
