import { createHmac } from 'node:crypto'
import { noop, type Clock } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import type { AfterCallContext, AfterCallHandler } from './after-call.ts'
import { RetryLater, Unrecoverable, WebhookError } from './errors.ts'
import { limits } from './limits.ts'
import { webhookSettings, type WebhookOptions, type WebhookSettings } from './webhook-options.ts'

/**
 * Makes an after-call handler that posts the report to a URL, by the Standard Webhooks convention: `webhook-id` is the key
 * of the work, and the same for every attempt; `webhook-signature` proves who sent it (HO19).
 *
 * ```ts
 * afterCall: { crm: webhook({ url: 'https://crm.example/calls', secret: process.env.CRM_WEBHOOK_SECRET }) }
 * ```
 *
 * A 2xx within `timeout` is done. 410 gives the work up. Everything else is retried; 429 and 503 after `Retry-After`.
 */
export function webhook(options: WebhookOptions): AfterCallHandler {
  const settings = webhookSettings(options)
  return async (report, context) => judge(settings, await post(settings, report, context))
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

async function post(
  { url, host, keys, headers, timeout, clock }: WebhookSettings,
  report: SessionReport,
  { key, trace, signal }: AfterCallContext,
): Promise<Answer> {
  signal.throwIfAborted()
  const body = JSON.stringify({ type: 'call.ended', timestamp: endOf(report), data: report })
  const id = idOf(key)
  const timestamp = String(Math.floor(clock.date() / 1_000))
  const cut = new AbortController()
  const stop = (): void => cut.abort()
  const timer = clock.after(timeout, 'a webhook is answered', stop)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: cut.signal,
      headers: {
        'user-agent': 'endwell',
        ...headers,
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': keys.map((each) => sign(each, `${id}.${timestamp}.${body}`)).join(' '),
        ...(trace !== undefined && TRACEPARENT.test(trace) ? { traceparent: trace } : {}),
      },
    })
    await discard(response, clock, stop)
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  } catch (error) {
    signal.throwIfAborted()
    // Without the cause, which may contain the request.
    if (cut.signal.aborted) throw new WebhookError(`${host} did not answer within ${timeout} ms`)
    throw new WebhookError(`${host} could not be reached: ${networkCode(error)}`)
  } finally {
    timer.clear()
    signal.removeEventListener('abort', stop)
  }
}

const TRACEPARENT = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

/** When the call ended: the same for every attempt. */
function endOf({ askedAt, took }: SessionReport): string {
  return new Date(Date.parse(askedAt) + took).toISOString()
}

/** The key in characters that a header can have. A full stop would make it ambiguous what is signed. */
function idOf(key: string): string {
  return key.replaceAll(/[^\w:~/-]/gu, (each) => (each === '.' ? '%2E' : encodeURIComponent(each)))
}

function sign(key: Buffer, text: string): string {
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

/** Reads a short response, so that its connection can be used again. Of a long or slow one, only the status matters. */
async function discard({ body }: Response, clock: Clock, stop: () => void): Promise<void> {
  if (!body) return
  const timer = clock.after(limits.responseTime, 'the response of a webhook', stop)
  const reader = body.getReader()
  try {
    for (let read = 0; read < limits.responseBytes;) {
      const { done, value } = await reader.read()
      if (done) return
      read += value.length
    }
  } catch {
    // The receiver broke off, or took too long. It has answered all the same.
  } finally {
    timer.clear()
    reader.cancel().catch(noop)
  }
}

/** Returns if the receiver has accepted the webhook, and throws what is to become of the work otherwise. */
function judge({ host, clock }: WebhookSettings, { status, retryAfter }: Answer): void {
  if (status >= 200 && status < 300) return
  const answered = `${host} answered ${status}`
  if (status === 410) throw new Unrecoverable(`${answered}: it does not want this webhook any more`)
  if (status >= 300 && status < 400)
    throw new WebhookError(`${answered}: redirects are not followed. Change the url of the webhook`)
  const delay = status === 429 || status === 503 ? delayOf(retryAfter, clock) : undefined
  if (delay !== undefined) throw new RetryLater(answered, delay)
  throw new WebhookError(answered)
}

/** Milliseconds to wait by a `Retry-After` header, which has seconds or a date. */
function delayOf(retryAfter: string | null, clock: Clock): number | undefined {
  if (retryAfter === null) return undefined
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000
  // `Date.parse` alone takes many texts for a date, `-5` among them.
  const date = /^[A-Z][a-z]{2}, /.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.date())
}

/** Why the network failed, such as `ECONNREFUSED`. */
function networkCode(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : 'the network failed'
}
