import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../loopback.ts'
import { same, sign } from '../secrets.ts'
import type { Carrier } from './carrier.ts'

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

/** The part of a stream's address that shows that we gave it out. */
export interface Ticket {
  readonly call: string
  readonly key: string
}

export interface CallingOptions {
  readonly carrier: Carrier
  readonly secret: string | undefined
  readonly publicUrl: string | undefined
  readonly date: () => number
}

/** Decides whether a request comes from the carrier, before there is a call or a session (LN5). */
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

  /** Whether an upgrade comes from the carrier. A ticket shows that we told the carrier to open this stream. */
  admitsStream(request: CarrierRequest, ticket: Ticket | undefined): boolean {
    const { secret, carrier, date } = this.#options
    if (secret === undefined) return isOfThisMachine(request)
    if (!carrier.signsStreams) return ticket !== undefined && same(ticket.key, this.#key(ticket.call))
    const { headers } = request
    const url = this.publicAddress(request, request.url, 'ws')
    return carrier.signed({ headers, url, form: new URLSearchParams(), body: '', date: date() })
  }

  /** What to append to the address of a stream, for a carrier that does not sign upgrades. */
  ticketFor(call: string): string {
    const { secret, carrier } = this.#options
    if (secret === undefined || carrier.signsStreams) return ''
    return `/${encodeURIComponent(call)}/${this.#key(call)}`
  }

  /** Reads the ticket from the address of a stream below `streams`. `none` if the address is not one of a stream. */
  ticketIn(url: string, streams: string): Ticket | undefined | 'none' {
    const [path = ''] = url.split('?', 1)
    if (path === streams || path === `${streams}/`) return undefined
    const [, call, key, ...rest] = path.startsWith(`${streams}/`) ? path.slice(streams.length).split('/') : []
    if (call === undefined || key === undefined || rest.length > 0) return 'none'
    try {
      return { call: decodeURIComponent(call), key }
    } catch {
      return 'none'
    }
  }

  /**
   * The public address of one of our paths. Without `publicUrl`, believes the headers of a proxy: with a wrong address no
   * signature fits, and without a secret nothing that a proxy relays is admitted.
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

/** Without a secret nothing else keeps strangers out, so neither a proxy nor a page in a browser may be in between. */
function isOfThisMachine({ headers, address }: CarrierRequest): boolean {
  const name = headers.host?.replace(/:\d+$/, '')
  const relayed = Object.keys(headers).some((each) => /^(forwarded|via|x-forwarded-|x-real-ip)/.test(each))
  const browser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  return isLoopback(address) && isLoopback(name) && !relayed && !browser
}

const first = (header: string | string[] | undefined): string | undefined =>
  header?.toString().split(',')[0]?.trim()
