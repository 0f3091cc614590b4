import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isFromThisMachine } from '../this-machine.ts'
import type { Clock } from '../../scope/index.ts'
import { isCallName } from '../call-name.ts'
import { publicAddress } from '../public-address.ts'
import { readBody } from '../read-body.ts'
import { newKey, same, sign } from '../secrets.ts'
import type { Carrier } from './carrier.ts'
import { limits } from './limits.ts'

/** A request that claims to come from the carrier. Untrusted, except for the peer address. */
export interface CarrierRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The address at the other end of the connection. */
  readonly address: string | undefined
  readonly body: string
}

/** The part of a stream's address that shows that we gave it to the carrier. It is good for one stream of one call. */
export interface Ticket {
  readonly call: string
  /** The call for whose caller this one was made, if it was. */
  readonly madeFor?: string | undefined
  /** Identifies the ticket. */
  readonly id: string
  /** Wall-clock time, in milliseconds since 1970. */
  readonly expires: number
  readonly signature: string
}

/**
 * The paths of webhooks: `/verdict` says who has answered a call out, `/leg` is for somebody who is rung for a call, `/transfer` for
 * what comes after that, `/conference` for calls that join a conference, `/recording` for a recording that is there, `/keys` for what
 * comes after keys that the carrier has pressed.
 */
const purposes = [
  '/answer',
  '/status',
  '/again',
  '/transfer',
  '/leg',
  '/verdict',
  '/conference',
  '/recording',
  '/keys',
] as const

/** A webhook that comes from the carrier. */
export interface Webhook {
  readonly purpose: (typeof purposes)[number]
  /** The call that it is about. */
  readonly call: string
  readonly account: string | undefined
  /** What the signature covers. */
  readonly fields: URLSearchParams
  /** The query that the user has added to the address of the webhook, if its signature covers it. */
  readonly parameters: Readonly<Record<string, string>>
  /** The ticket of a call out. It is random and was given to the carrier only, so it needs no signature. */
  readonly dial: string | null
  /** The call for whose caller this call was made. Unsigned with some carriers: it says only which process to ask. */
  readonly madeFor: string | undefined
  readonly request: CarrierRequest
}

/** The answer to a webhook. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: string
}

export interface CallingOptions {
  readonly carrier: Carrier
  /** Prefix of our paths. */
  readonly path: string
  /** If set, webhooks about calls of other accounts are refused. */
  readonly account: string | undefined
  readonly secret: string | undefined
  /** Tickets that were signed with it are valid, too. */
  readonly otherSecret?: string | undefined
  /** Signs tickets if there is no secret. */
  readonly ticketKey?: string | undefined
  readonly publicUrl: string | undefined
  readonly clock: Clock
}

/** Decides whether a request comes from the carrier, before there is a call or a session (LN5, LN9, LN10). */
export class Calling {
  readonly #options: CallingOptions
  /** Signs tickets. Processes that give out tickets for each other share it. */
  readonly #key: string

  constructor(options: CallingOptions) {
    this.#options = options
    this.#key = options.secret ?? options.ticketKey ?? newKey()
  }

  /** Reads a webhook. A number is the HTTP status with which to refuse it. */
  webhookOf(request: CarrierRequest): Webhook | 400 | 403 | 404 {
    const { path, account: ours } = this.#options
    const [address = '', query] = request.url.split('?', 2)
    const purpose = purposes.find((each) => `${path}${each}` === address)
    if (!purpose) return 404
    const fields = this.#fieldsOf(request)
    if (!fields) return 403
    // A report on somebody who is rung for a call has a name of its own.
    const call = fields.get(purpose === '/leg' ? 'ParentCallSid' : 'CallSid')
    const account = fields.get('AccountSid') ?? undefined
    if (!isCallName(call) || (ours !== undefined && account !== undefined && account !== ours)) return 400
    const asked = new URLSearchParams(query)
    const dial = asked.get('dial')
    const caller = asked.get('for')
    const madeFor = isCallName(caller) ? caller : undefined
    const parameters = this.#ownParameters(request, asked)
    return { purpose, call, account, fields, parameters, dial, madeFor, request }
  }

  #ownParameters({ method }: CarrierRequest, query: URLSearchParams): Record<string, string> {
    const { secret, carrier } = this.#options
    // A webhook by GET has the carrier's own fields in its query.
    if (method !== 'POST' || (secret !== undefined && !carrier.signsQuery)) return {}
    const own = [...query].filter(([name]) => name !== 'dial' && name !== 'attempt' && name !== 'for')
    return Object.fromEntries(own.slice(0, limits.parameters))
  }

  /** The fields of a webhook that its signature covers. Undefined if the webhook does not come from the carrier. */
  #fieldsOf(request: CarrierRequest): URLSearchParams | undefined {
    const { secret, carrier, clock } = this.#options
    const { headers, url, body, method } = request
    const [, query = ''] = url.split('?', 2)
    const [inQuery, form] = [new URLSearchParams(query), new URLSearchParams(body)]
    const sent = method === 'POST' ? form : inQuery
    if (secret === undefined) return isLocal(request) ? sent : undefined
    const signed = { headers, url: this.publicAddress(request, url), form, body, date: clock.date() }
    if (!carrier.signed(signed)) return undefined
    return carrier.signsQuery ? sent : form
  }

  /** Why an upgrade does not come from the carrier, if it does not. */
  refusesStream(
    request: CarrierRequest,
    ticket: Ticket | undefined,
  ): 'NOT_THE_CARRIER' | 'TICKET_INVALID' | undefined {
    const { secret, carrier, clock } = this.#options
    const { headers } = request
    if (secret === undefined && !isLocal(request)) return 'NOT_THE_CARRIER'
    if (secret !== undefined && carrier.signsStreams) {
      const url = this.publicAddress(request, request.url, 'ws')
      const signed = carrier.signed({
        headers,
        url,
        form: new URLSearchParams(),
        body: '',
        date: clock.date(),
      })
      if (!signed) return 'NOT_THE_CARRIER'
    }
    return ticket && this.#isValid(ticket) ? undefined : 'TICKET_INVALID'
  }

  /**
   * What to append to the address of a stream. Where the ticket is all that a stream shows, a webhook that is replayed
   * gets the same ticket again, so that it admits one stream as well.
   */
  ticketFor(call: string, { headers }: CarrierRequest, madeFor?: string): string {
    const { carrier, clock } = this.#options
    const webhook = carrier.webhookId(headers)
    const id = webhook === undefined ? newKey() : sign(`endwell.webhook.${webhook}`, this.#key)
    const expires = clock.date() + limits.ticket
    const ticket = `${expires}.${id}.${signatureOf({ call, id, expires }, this.#key)}`
    // In the path: carriers pass no query on.
    const caller = madeFor === undefined ? '' : `/${encodeURIComponent(madeFor)}`
    return `/${encodeURIComponent(call)}/${ticket}${caller}`
  }

  /** Reads the ticket from the address of a stream below `streams`. `none` if the address is not one of a stream. */
  ticketIn(url: string, streams: string): Ticket | undefined | 'none' {
    const [path = ''] = url.split('?', 1)
    if (path === streams || path === `${streams}/`) return undefined
    const rest = path.startsWith(`${streams}/`) ? path.slice(streams.length) : ''
    const [, call, expires, id, signature, caller] =
      /^\/([^/]+)\/(\d{1,15})\.([\w-]+)\.([\w-]+)(?:\/([^/]+))?\/?$/.exec(rest) ?? []
    if (call === undefined || id === undefined || signature === undefined) return 'none'
    try {
      const madeFor = caller && decodeURIComponent(caller)
      return { call: decodeURIComponent(call), madeFor, id, expires: Number(expires), signature }
    } catch {
      return 'none'
    }
  }

  /**
   * The public address of one of our paths. Without `publicUrl`, believes the headers of a proxy: with a wrong address no
   * signature fits, and without a secret nothing that a proxy relays is admitted.
   */
  publicAddress({ headers }: CarrierRequest, path: string, scheme: 'http' | 'ws' = 'http'): string {
    const base = publicAddress(headers, this.#options.publicUrl)
    return `${scheme === 'ws' ? base.replace(/^http/, 'ws') : base}${path}`
  }

  #isValid(ticket: Ticket): boolean {
    const { otherSecret, clock } = this.#options
    const keys = otherSecret === undefined ? [this.#key] : [this.#key, otherSecret]
    const fits = keys.some((key) => same(ticket.signature, signatureOf(ticket, key)))
    return fits && ticket.expires > clock.date()
  }
}

function signatureOf({ call, id, expires }: Omit<Ticket, 'signature'>, key: string): string {
  return sign(`endwell.stream.${expires}.${id}.${call}`, key)
}

/** Reads a request of the carrier. Rejects if its body is too long. */
export async function readRequest(message: IncomingMessage): Promise<CarrierRequest> {
  return requestOf(message, await readBody(message, limits.body))
}

export function requestOf(
  { method = 'GET', url = '/', headers, socket }: IncomingMessage,
  body = '',
): CarrierRequest {
  return { method, url, headers, address: socket.remoteAddress, body }
}

/** Without a secret nothing else keeps strangers out, so neither a proxy nor a page in a browser may be in between. */
function isLocal(request: CarrierRequest): boolean {
  const { headers } = request
  const browser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  return isFromThisMachine(request) && !browser
}
