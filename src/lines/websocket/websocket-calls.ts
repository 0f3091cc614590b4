import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../parts/index.ts'
import { OptionError, noop, checkOptions, type Scope, type OptionNames } from '../../scope/index.ts'
import { SocketServer } from '../accepted-socket.ts'
import { BaseCalls, type CallRefusal } from '../base-calls.ts'
import { makeToken, type TokenOptions } from '../call-token.ts'
import { checkLimits } from '../check-limits.ts'
import type { Peer } from '../peer.ts'
import { newKey } from '../secrets.ts'
import { Admission, type CallRequest } from './admission.ts'
import { limits } from './limits.ts'
import { PageCall } from './page-call.ts'
import { readOffer, subprotocol, type Ticket } from './protocol.ts'
import { refuseCall, statusOf, type RefusalCode } from './refusal.ts'
import { WebSocketLine } from './websocket-line.ts'

/** What is known about a call before it is answered. */
export interface CallInfo {
  /** Names the call; the line has the same id. */
  readonly id: string
  /** What the token carries: `data` of `calls.token({ data })`. Undefined without a secret. */
  readonly data: unknown
  /** The origin of the page. Undefined if a program calls. */
  readonly origin: string | undefined
  /** The address at the other end of the connection: the proxy's, if there is one. */
  readonly address: string | undefined
  /** Path and query of the request. */
  readonly url: string
  /** The headers of the request. */
  readonly headers: IncomingHttpHeaders
  /** Lets the page come back. Another process that is to go on with the call needs it. */
  readonly key: string
}

export interface WebSocketCallsOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Called for each call: make a session with the line, and start it. Throwing or rejecting refuses the call. */
  onCall: (line: WebSocketLine, info: CallInfo) => unknown
  /**
   * Signs tokens. With a secret, every page needs a token; without one, only pages on this machine may call. Use 32
   * random bytes, shared by all servers.
   */
  secret?: string | undefined
  /** Origins whose pages may call, like `https://example.com`. Default with a secret: any. */
  origins?: readonly string[] | undefined
  /** Default: 16,000. */
  sampleRate?: 16_000 | 24_000 | 48_000
  /** Whether pages get the transcript of their call: what the caller said, and what was heard of the agent (LN16). Default: false. */
  transcript?: boolean
  /** How long a page that was cut off may take to come back (LN1). Default: 5 s. */
  rejoinTimeout?: number
  /** How long a page may give no sign of life (LN2). Default: 10 s. */
  lostTimeout?: number
  /** How long `onCall` may take to open the line. Default: 30 s, as long as a session may take to start. */
  answerTimeout?: number
  /** Maximum number of concurrent calls. Default: 100. */
  maxCalls?: number
  /** Maximum number of new calls per second. Default: 20. */
  maxRate?: number
  /**
   * Whether there is room for another call, by what a call costs. Asked before each new call; if not, the caller is told
   * at once that the line is busy. With local models: `hasLocalRoom` of `endwell/providers/local`.
   */
  hasRoom?: () => boolean
  /** Called for each new call that is refused, for metrics. */
  onRefused?: (why: CallRefusal) => void
  /** Called when a call begins or ends: `size` has changed. */
  onChange?: () => void
  logger?: Logger
}

const optionNames: OptionNames<WebSocketCallsOptions> = {
  scope: true,
  onCall: true,
  secret: true,
  origins: true,
  sampleRate: true,
  transcript: true,
  rejoinTimeout: true,
  lostTimeout: true,
  answerTimeout: true,
  maxCalls: true,
  maxRate: true,
  hasRoom: true,
  onRefused: true,
  onChange: true,
  logger: true,
}

/**
 * Takes calls from browsers, each over one WebSocket.
 *
 * ```ts
 * const calls = new WebSocketCalls({
 *   scope,
 *   secret: process.env.CALL_SECRET,
 *   onCall: (line) => new Session({ agent, models, line }).start(),
 * })
 * server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
 * ```
 */
export class WebSocketCalls extends BaseCalls<PageCall> {
  readonly #options: WebSocketCallsOptions
  readonly #admission: Admission
  readonly #sockets: SocketServer

  constructor(options: WebSocketCallsOptions) {
    checkOptions('WebSocketCalls', options, optionNames)
    checkLimits(options)
    super({ ...options, name: 'browser calls', closePatience: limits.closePatience })
    this.#options = options
    this.#admission = new Admission(options.scope.clock, options)
    this.#sockets = new SocketServer({
      name: 'page',
      message: limits.message,
      closePatience: limits.closePatience,
      protocol: subprotocol,
      logger: this.logger,
    })
  }

  /** Makes a token for one page. Have your server make it, for callers it trusts. */
  token(options?: TokenOptions): string {
    const { secret } = this.#options
    if (secret === undefined) throw new OptionError('tokens need a secret: pass the option secret')
    return makeToken(secret, this.scope.clock.date(), options)
  }

  /** The ticket with which a page wants to come back to a call. */
  ticketOf(request: IncomingMessage): Ticket | undefined {
    return readOffer(requestOf(request).protocols).ticket
  }

  /**
   * Takes an upgrade from a server of `node:http`. Never throws: a refused caller gets the reason. With `resume`, a page
   * comes back to a call of another process that is gone: check its ticket first.
   */
  upgrade(
    request: IncomingMessage,
    tcp: Duplex,
    head: Buffer,
    { resume = false }: { readonly resume?: boolean } = {},
  ): void {
    tcp.on('error', noop)
    const { accept, refused } = this.admit(requestOf(request), resume)
    if (accept) this.#sockets.upgrade(request, tcp, head, accept)
    else refuseCall(tcp, refused)
  }

  /** @internal Decides about an upgrade: `accept` takes the socket; without it, the upgrade is refused over HTTP. */
  admit(request: CallRequest, resume = false): Decision {
    const verdict = this.#admission.check(request)
    if (verdict.kind === 'refused') return this.#refuse(request, verdict.code, verdict.speaks)
    // Over HTTP: no scope could own a socket that is accepted now.
    if (this.scope.state !== 'live') return this.#refuse(request, 'CLOSING', false)
    if (verdict.kind === 'back') {
      const call = this.find(verdict.ticket.call)
      if (!call && resume)
        return { accept: (peer) => this.#begin(peer, infoOf(request, verdict.ticket.call), verdict.ticket) }
      const welcome = call?.admits(verdict.ticket)
      if (call && welcome === 'welcome') return { accept: (peer) => call.join(peer) }
      return this.#refuse(request, welcome === 'replaced' ? 'CALL_REPLACED' : 'CALL_GONE')
    }
    const refusal = this.refusal()
    if (refusal) return this.#refuse(request, refusal)
    const info = infoOf(request, newKey(), verdict.data)
    return { accept: (peer) => this.#begin(peer, info) }
  }

  #refuse({ origin, address }: CallRequest, code: RefusalCode, speaks = true): Decision {
    this.logger.info({ code, origin, address }, 'a call was refused')
    if (!speaks) return { refused: code }
    // A page cannot read the answer to an upgrade that fails; so a page that speaks our protocol gets a close frame.
    return { accept: (peer) => this.turnAway(peer, 4000 + statusOf(code), code), refused: code }
  }

  #begin(peer: Peer, info: Omit<CallInfo, 'key'>, ticket?: Ticket): void {
    const { sampleRate = 16_000, rejoinTimeout = 5_000, lostTimeout = 10_000 } = this.#options
    const { answerTimeout = 30_000, transcript = false, onCall } = this.#options
    const { id } = info
    const timeouts = { answerTimeout, rejoinTimeout, lostTimeout }
    const call = new PageCall({
      id,
      calls: this,
      sampleRate,
      transcript,
      ...timeouts,
      ...(ticket ? { key: ticket.key } : {}),
    })
    call.join(peer)
    this.begin(call, () => onCall(new WebSocketLine(call, sampleRate), { ...info, key: call.key }))
  }
}

type Decision =
  | { readonly accept: (peer: Peer) => void; readonly refused?: RefusalCode }
  | { readonly accept?: undefined; readonly refused: RefusalCode }

function infoOf(
  { origin, address, url, headers }: CallRequest,
  id: string,
  data?: unknown,
): Omit<CallInfo, 'key'> {
  return { id, data, origin, address, url, headers }
}

function requestOf({ headers, socket, url = '/' }: IncomingMessage): CallRequest {
  const { origin } = headers
  const protocols = headers['sec-websocket-protocol']?.split(/\s*,\s*/) ?? []
  return { origin, headers, address: socket.remoteAddress, url, protocols }
}
