import { describeError, noop } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import type { CallContext } from './twilio-call-context.ts'
import { CallbackQueue } from './twilio-callbacks.ts'
import type { FormAnswer } from './twilio-post.ts'
import { readTwiml, type Twiml } from './twilio-twiml.ts'

export interface WebhookOptions {
  /** How the webhook and the status callback are signed. Default: rightly. */
  readonly signs?: 'rightly' | 'wrongly' | 'never'
  /** Sent with the webhook and with the stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** The time limit of the webhook in milliseconds. Default: 15,000. */
  readonly webhookTimeout?: number
}

/** `outbound-api` is created over REST, and `outbound-dial` by `<Dial>`. */
export type CallDirection = 'inbound' | 'outbound-api' | 'outbound-dial'

export interface CallIds {
  readonly sid: string
  readonly from: string
  readonly to: string
  readonly direction: CallDirection
  /** The sid of the call whose `<Dial>` rings this one. */
  readonly parent?: string
}

export interface DocumentRequest {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  /** How many more times it is requested at once. Default: 0. */
  readonly repeats?: number
}

/** The TwiML of a webhook, or why there is none. `status` is 0 without a response. */
export type WebhookResult =
  | { readonly verbs: readonly Twiml[] }
  | { readonly status: number; readonly why: string }

/** The fields of a call that every request has. */
export function callFields(
  account: string,
  { sid, from, to, direction, parent }: CallIds,
): Record<string, string> {
  return {
    AccountSid: account,
    ApiVersion: '2010-04-01',
    CallSid: sid,
    Called: to,
    Caller: from,
    Direction: direction,
    From: from,
    To: to,
    ...(parent === undefined ? {} : { ParentCallSid: parent }),
  }
}

/** The requests of one call or conference to its application: webhooks and status callbacks. */
export class TwilioWebhooks {
  /** Sent with every request. */
  readonly #fields: Readonly<Record<string, string>>
  readonly #context: CallContext
  readonly #options: WebhookOptions
  readonly #changed: () => void
  readonly #controller = new AbortController()
  readonly #callbacks: CallbackQueue
  #open = 0

  constructor(
    fields: Readonly<Record<string, string>>,
    context: CallContext,
    options: WebhookOptions,
    changed: () => void,
  ) {
    this.#fields = fields
    this.#callbacks = new CallbackQueue(context)
    this.#context = context
    this.#options = options
    this.#changed = changed
  }

  /** The number of unfinished requests. */
  get open(): number {
    return this.#open
  }

  /** Requests TwiML, `1 + repeats` times at once, and returns the first response. */
  async ask({ url, fields, repeats = 0 }: DocumentRequest): Promise<WebhookResult> {
    const { webhookTimeout = 15_000 } = this.#options
    const timeout = new AbortController()
    const timer = outsideTimer(this.#context.clock, webhookTimeout, 'a webhook', () => timeout.abort())
    try {
      const requests = Array.from({ length: 1 + repeats }, () => this.#post(url, fields, timeout.signal))
      const [response] = await Promise.all(requests)
      const { status, body } = response!
      return status === 200 ? { verbs: readTwiml(body) } : { status, why: 'the status is not 200' }
    } catch (error) {
      return { status: 0, why: describeError(error).message }
    } finally {
      timer.clear()
    }
  }

  /** Posts a callback. Errors are ignored: Twilio would only log them in its debugger. */
  notify(url: string, fields: Readonly<Record<string, string>>): void {
    this.#callbacks.send({ ...this.#fields, ...fields }, () => {
      this.#post(url, fields).catch(noop)
    })
  }

  /** Posts a callback now, and returns the response. */
  post(url: string, fields: Readonly<Record<string, string>>): Promise<FormAnswer> {
    return this.#post(url, fields)
  }

  abort(): void {
    this.#callbacks.clear()
    this.#controller.abort()
  }

  async #post(
    url: string,
    fields: Readonly<Record<string, string>>,
    timeout?: AbortSignal,
  ): Promise<FormAnswer> {
    const { post, toPublic, sign } = this.#context
    const { signs = 'rightly' } = this.#options
    const form = { ...this.#fields, ...fields }
    const body = new URLSearchParams(form).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      ...this.#options.headers,
      ...(signs === 'never' ? {} : sign({ url: toPublic(url), form, body }, signs)),
    }
    const { signal } = this.#controller
    this.#open++
    try {
      return await post({ url, headers, body }, timeout ? AbortSignal.any([signal, timeout]) : signal)
    } finally {
      this.#open--
      this.#changed()
    }
  }
}
