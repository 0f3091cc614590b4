import type { CallContext } from './twilio-call-context.ts'
import type { CallState } from './twilio-events.ts'
import type { TwilioWebhooks } from './twilio-webhooks.ts'

/** The events of a call that a status callback can be asked for. */
export type StatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'

export interface StatusCallback {
  /** The URL as the application wrote it. */
  readonly url: string
  readonly events: ReadonlySet<string>
}

/** A status callback for these events. Without any: for `completed`. */
export function statusCallback(
  url: string | undefined,
  events: readonly string[],
): StatusCallback | undefined {
  if (url === undefined || url === '') return undefined
  return { url, events: new Set(events.length > 0 ? events : ['completed']) }
}

/** Splits a list of words, such as `initiated ringing`. */
export function wordsIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((each) => each !== '')
}

/** Posts the status callbacks of one call. */
export class StatusReports {
  readonly #context: CallContext
  readonly #webhooks: TwilioWebhooks
  readonly #callback: StatusCallback
  #sequence = 0

  constructor(context: CallContext, webhooks: TwilioWebhooks, callback: StatusCallback) {
    this.#context = context
    this.#webhooks = webhooks
    this.#callback = callback
  }

  report(event: StatusEvent, state: CallState, fields: Readonly<Record<string, string>> = {}): void {
    if (!this.#callback.events.has(event)) return
    this.#webhooks.notify(this.#context.toLocal(this.#callback.url), {
      CallStatus: state,
      Timestamp: timestamp(this.#context.clock.date()),
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(this.#sequence++),
      ...fields,
    })
  }
}

/** Writes a time as RFC 2822 does. */
export function timestamp(date: number): string {
  return new Date(date).toUTCString().replace('GMT', '+0000')
}
