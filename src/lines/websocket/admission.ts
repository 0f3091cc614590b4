import type { Clock } from '../../scope/index.ts'
import { isLoopback } from '../loopback.ts'
import { RateLimit } from '../rate-limit.ts'
import { checkToken } from './call-token.ts'
import { limits } from './limits.ts'
import { readOffer, type Ticket } from './protocol.ts'
import type { RefusalCode } from './refusal.ts'
import type { CallInfo, WebSocketCallsOptions } from './websocket-calls.ts'
import type { WebSocketLine } from './websocket-line.ts'

/** What somebody who knocks says of himself. Nothing of it is to be trusted but the address. */
export interface CallRequest {
  readonly origin: string | undefined
  readonly host: string | undefined
  readonly address: string | undefined
  readonly url: string
  readonly protocols: readonly string[]
}

export type Verdict =
  | { readonly kind: 'new'; readonly info: Omit<CallInfo, 'id'> }
  | { readonly kind: 'back'; readonly line: WebSocketLine }
  /** `speaks` says whether the page can be told in our protocol. */
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly speaks: boolean }

interface House {
  readonly lines: ReadonlyMap<string, WebSocketLine>
  readonly isClosing: () => boolean
}

/** Decides who is let in, before there is a line or a session (LN5). */
export class Admission {
  readonly #clock: Clock
  readonly #options: WebSocketCallsOptions
  readonly #house: House
  readonly #rate: RateLimit

  constructor(clock: Clock, options: WebSocketCallsOptions, house: House) {
    this.#clock = clock
    this.#options = options
    this.#house = house
    const { maxRate = 20 } = options
    this.#rate = new RateLimit({ perSecond: maxRate, burst: Math.max(1, maxRate) }, clock.now())
  }

  check(request: CallRequest): Verdict {
    const { known, token, ticket } = readOffer(request.protocols)
    if (!known) return refused('NOT_A_CALL', false)
    // To a page from elsewhere nothing is told, not even in which way it failed.
    if (!this.#mayCall(request)) return refused('ORIGIN_REFUSED', false)
    // In plain words: a socket that is opened now would be nobody's.
    if (this.#house.isClosing()) return refused('CLOSING', false)
    return ticket ? this.#back(ticket) : this.#new(request, token)
  }

  /** Who comes back has shown his token before; the key is as good, and does not expire. */
  #back(ticket: Ticket): Verdict {
    const line = this.#house.lines.get(ticket.call)
    const welcome = line?.welcomes(ticket) ?? 'gone'
    if (line && welcome === 'welcome') return { kind: 'back', line }
    return refused(welcome === 'replaced' ? 'CALL_REPLACED' : 'CALL_GONE')
  }

  #new({ origin, address, url }: CallRequest, token: string | undefined): Verdict {
    const { secret, maxCalls = 100 } = this.#options
    let data: unknown
    if (secret !== undefined) {
      if (token === undefined) return refused('TOKEN_MISSING')
      if (token.length > limits.token) return refused('TOKEN_INVALID')
      const checked = checkToken(secret, this.#clock.date(), token)
      if (checked.code !== undefined) return refused(checked.code)
      data = checked.data
    }
    if (this.#house.lines.size >= maxCalls) return refused('BUSY')
    if (!this.#rate.take(this.#clock.now())) return refused('TOO_FAST')
    return { kind: 'new', info: { data, origin, address, url } }
  }

  #mayCall({ origin, address }: CallRequest): boolean {
    const { secret, origins } = this.#options
    // Nothing else keeps strangers out: the page and the connection must both be of this machine.
    if (secret === undefined && !isLoopback(address)) return false
    // A program that calls has no origin, and needs none: what counts is its token.
    if (origin === undefined) return secret !== undefined
    if (origins) return origins.includes(origin)
    return secret !== undefined || isLoopback(hostOf(origin))
  }
}

const refused = (code: RefusalCode, speaks = true): Verdict => ({ kind: 'refused', code, speaks })

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).hostname : undefined
}
