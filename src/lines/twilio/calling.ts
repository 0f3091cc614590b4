import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../loopback.ts'
import { same, sign } from '../secrets.ts'
import type { Carrier } from './carrier.ts'

/** A request of somebody who says that he is the carrier. Nothing of it is to be trusted but the address. */
export interface CarrierRequest {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The address at the other end of the connection. */
  readonly address: string | undefined
  readonly body: string
}

export interface CallingOptions {
  readonly carrier: Carrier
  readonly secret: string | undefined
  readonly publicUrl: string | undefined
  readonly date: () => number
}

/** Decides whether it is the carrier that asks, before there is a line or a session (LN5). */
export class Calling {
  readonly #options: CallingOptions

  constructor(options: CallingOptions) {
    this.#options = options
  }

  /** Whether a webhook comes from the carrier. */
  admits(request: CarrierRequest): boolean {
    const { secret, carrier, date } = this.#options
    if (secret === undefined) return isOfThisMachine(request)
    const { headers, url, body } = request
    const form = new URLSearchParams(body)
    return carrier.signed({ headers, url: this.publicAddress(request, url), form, body, date: date() })
  }

  /** Whether an upgrade does. With a ticket in its address, it is the carrier that was told to come. */
  admitsStream(request: CarrierRequest, ticket: Ticket | undefined): boolean {
    const { secret, carrier, date } = this.#options
    if (secret === undefined) return isOfThisMachine(request)
    if (!carrier.signsStreams) return ticket !== undefined && same(ticket.key, this.#key(ticket.call))
    const url = this.publicAddress(request, request.url, 'ws')
    return carrier.signed({
      headers: request.headers,
      url,
      form: new URLSearchParams(),
      body: '',
      date: date(),
    })
  }

  /** What follows the address of the streams, for a carrier that does not sign when it comes there. */
  ticketFor(call: string): string {
    const { secret, carrier } = this.#options
    if (secret === undefined || carrier.signsStreams) return ''
    return `/${encodeURIComponent(call)}/${this.#key(call)}`
  }

  /**
   * The address by which the carrier knows a path of ours. Without `publicUrl` a proxy is believed: with a wrong address
   * no signature fits, and without a secret nobody behind a proxy is let in.
   */
  publicAddress({ headers }: CarrierRequest, path: string, scheme: 'http' | 'ws' = 'http'): string {
    const { publicUrl } = this.#options
    const host = first(headers['x-forwarded-host']) ?? headers.host ?? 'localhost'
    const secure = first(headers['x-forwarded-proto']) === 'https'
    const base = publicUrl?.replace(/\/+$/, '') ?? `http${secure ? 's' : ''}://${host}`
    return `${scheme === 'ws' ? base.replace(/^http/, 'ws') : base}${path}`
  }

  #key(call: string): string {
    return sign(`endwell.stream.${call}`, this.#options.secret ?? '')
  }
}

/** What stands in the address of a stream. */
export interface Ticket {
  readonly call: string
  readonly key: string
}

/** Nothing else keeps strangers out: neither a proxy nor a page in a browser may stand between. */
function isOfThisMachine({ headers, address }: CarrierRequest): boolean {
  const name = headers.host?.replace(/:\d+$/, '')
  const relayed = Object.keys(headers).some((each) => /^(forwarded|via|x-forwarded-|x-real-ip)/.test(each))
  const browser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  return isLoopback(address) && isLoopback(name) && !relayed && !browser
}

const first = (header: string | string[] | undefined): string | undefined =>
  header?.toString().split(',')[0]?.trim()
