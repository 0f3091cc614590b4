import type { Calling, CarrierRequest, Webhook } from './calling.ts'
import { askAgainDocument, hangUpDocument, type Carrier } from './carrier.ts'
import { limits } from './limits.ts'
import { factsIn, streamParameters } from './stream-parameters.ts'
import type { ComesBack, TwilioCallsOptions } from './options.ts'

export interface CallDocumentsOptions {
  readonly carrier: Carrier
  readonly calling: Calling
  /** Prefix of our paths. */
  readonly path: string
  /** Where the carrier asks how to go on when a stream has ended. Unset: the call ends with its stream. */
  readonly after: '/again' | '/answer' | undefined
}

/** Writes the documents that contain addresses of ours. */
export class CallDocuments {
  readonly #options: CallDocumentsOptions

  constructor(options: CallDocumentsOptions) {
    this.#options = options
  }

  /** The address under which the carrier that made this request reaches our webhooks. */
  base(request: CarrierRequest): string {
    return this.#address(request, '')
  }

  /** Has the carrier ask again, and perhaps reach another host. */
  askAgain(request: CarrierRequest, purpose: '/answer' | '/again', attempt: number): string {
    return askAgainDocument(this.#address(request, `${purpose}${withAttempt(attempt)}`))
  }

  /** What to do with a call that was cut off, and that this process does not know. */
  again({ call, request, fields }: Webhook, comesBack: ComesBack): string {
    const attempt = attemptOf(request)
    if (comesBack === 'no') return hangUpDocument
    if (comesBack === 'yes') return this.connect(call, request, { ...parametersIn(fields), again: 'yes' })
    if (comesBack === 'later') return this.askAgain(request, '/again', attempt)
    return attempt < limits.attempts ? this.askAgain(request, '/answer', attempt + 1) : hangUpDocument
  }

  /** Has the carrier ask again what to do with a call out, a few times: the process that dials cannot be reached now. */
  askDialAgain(request: CarrierRequest, ticket: string): string {
    const attempt = attemptOf(request) + 1
    if (attempt > limits.attempts) return hangUpDocument
    return askAgainDocument(this.#address(request, `/answer?dial=${ticket}&attempt=${attempt}`))
  }

  /** Connects a call to a stream of ours. */
  connect(
    call: string,
    request: CarrierRequest,
    parameters: Readonly<Record<string, string>>,
    madeFor?: string,
  ): string {
    const { carrier, calling, path, after } = this.#options
    const stream = `${path}/stream${calling.ticketFor(call, request, madeFor)}`
    const attempt = after === '/again' ? withAttempt(attemptOf(request)) : ''
    const query = madeFor === undefined ? attempt : `?for=${encodeURIComponent(madeFor)}`
    return carrier.connect({
      url: calling.publicAddress(request, stream, 'ws'),
      after: after && this.#address(request, `${after}${query}`),
      parameters,
    })
  }

  #address(request: CarrierRequest, purpose: string): string {
    const { calling, path } = this.#options
    return calling.publicAddress(request, `${path}${purpose}`)
  }
}

/** For a process that takes the call over. What the call was dialled with is in the journal; it is not recorded twice. */
function parametersIn(fields: URLSearchParams): Record<string, string> {
  return streamParameters({ ...factsIn(fields), parameters: {}, records: false, keys: undefined })
}

/**
 * Where the carrier asks how to go on when a stream has ended. Without it the call would end as soon as its stream breaks,
 * and could not come back (LN4). But only a process that knows the call, or can look it up, can say whether it may.
 */
export function afterOf({ beginsWith, comesBack }: TwilioCallsOptions): '/again' | '/answer' | undefined {
  if (comesBack) return '/again'
  return beginsWith === 'stream' ? undefined : '/answer'
}

/** How many times the call was to be connected, counted in the addresses that the carrier is given. */
export function attemptOf({ url }: CarrierRequest): number {
  const [, query = ''] = url.split('?', 2)
  const attempt = Number(new URLSearchParams(query).get('attempt') ?? 1)
  return attempt >= 1 ? attempt : limits.attempts
}

function withAttempt(attempt: number): string {
  return attempt > 1 ? `?attempt=${attempt}` : ''
}
