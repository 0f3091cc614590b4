import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../parts/index.ts'
import { checkOptions, noop, type OptionNames, type Scope } from '../../scope/index.ts'
import { SocketServer } from '../accepted-socket.ts'
import { BaseCalls, type CallRefusal } from '../base-calls.ts'
import { checkLimits } from '../check-limits.ts'
import { checkPaths } from '../check-paths.ts'
import { mayCall } from '../may-call.ts'
import type { Peer } from '../peer.ts'
import { publicAddress } from '../public-address.ts'
import { refuse } from '../refuse.ts'
import { OneTimeTokens, type Admitted } from '../rtvi/one-time-tokens.ts'
import { checkRtviValues, rtviNames, type RtviOptions } from '../rtvi/options.ts'
import { StartEndpoint, type StartAnswer, type StartRequest, type Starts } from '../rtvi/start-endpoint.ts'
import { transportOf } from '../rtvi/transport.ts'
import { newKey } from '../secrets.ts'
import type { Origin } from '../this-machine.ts'
import { limits } from './limits.ts'
import { refusals, type RtviRefusal } from './refusals.ts'
import { RtviCall } from './rtvi-call.ts'
import { RtviLine } from './rtvi-line.ts'

/** What is known about a call of an RTVI client before it is answered. */
export interface RtviCallInfo {
  /** Names the call; the line has the same id. */
  readonly id: string
  /** The `requestData` with which the client began the call: any JSON, not validated. */
  readonly data: unknown
  /** The origin of the page. Undefined if a program calls. */
  readonly origin: string | undefined
  /** The address at the other end of the connection: the proxy's, if there is one. */
  readonly address: string | undefined
  /** The headers of the request. */
  readonly headers: IncomingHttpHeaders
}

export interface RtviCallsOptions extends RtviOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Called for each call: make a session with the line, and start it. Throwing or rejecting refuses the call. */
  onCall: (line: RtviLine, info: RtviCallInfo) => unknown
  /**
   * Required from whoever starts a call, as a bearer token: have your own server start calls for its pages. Without one, only
   * pages on this machine may call. Use 32 random bytes, shared by all servers.
   */
  secret?: string | undefined
  /** Origins whose pages may call, like `https://example.com`. Default with a secret: any. */
  origins?: readonly string[] | undefined
  /** The address of this server for clients, like `https://agent.example.com`. Default: what the request says. */
  publicUrl?: string | undefined
  /** Where calls are started. Default: `/start`, and `/connect` for calls over WebSocket in any case. */
  startPath?: string
  /**
   * `WebRtcCalls` that are started at the same address: by clients that ask for WebRTC, and by those that name no transport, as
   * with Pipecat's own server. Default: none.
   */
  webrtc?: Starts
  /** Where clients connect. Default: `/rtvi` and `/ws-client`. */
  socketPath?: string
  /** How long a client may give no sign of life (LN2). Default: 8 s. */
  lostTimeout?: number
  /** How long `onCall` may take to open the line. Default: 30 s, as long as a session may take to start. */
  answerTimeout?: number
  /** Maximum number of concurrent calls. Default: 100. */
  maxCalls?: number
  /** Maximum number of new calls per second. Default: 20. */
  maxRate?: number
  /** Whether there is room for another call, by what a call costs: `hasLocalRoom` of `endwell/providers/local`, for instance. */
  hasRoom?: () => boolean
  /** Whether another process, which clients reach at the same address, has room for a call. Default: there is none. */
  hasRoomElsewhere?: () => Promise<boolean>
  /** Signs tokens, for processes that take each other's. Default: random. */
  tokenKey?: string
  /** Called for each new call that is refused, for metrics. */
  onRefused?: (why: CallRefusal) => void
  /** Called when a call begins or ends: `size` has changed. */
  onChange?: () => void
  logger?: Logger
}

const optionNames: OptionNames<RtviCallsOptions> = {
  ...rtviNames,
  scope: true,
  onCall: true,
  secret: true,
  origins: true,
  publicUrl: true,
  startPath: true,
  webrtc: true,
  socketPath: true,
  lostTimeout: true,
  answerTimeout: true,
  maxCalls: true,
  maxRate: true,
  hasRoom: true,
  hasRoomElsewhere: true,
  tokenKey: true,
  onRefused: true,
  onChange: true,
  logger: true,
}

/** An upgrade request. Untrusted, except for the peer address. */
export interface SocketRequest extends Origin {
  readonly origin: string | undefined
  readonly url: string
}

/**
 * Takes calls from RTVI clients over WebSockets: Pipecat's `WebSocketTransport`, unmodified.
 *
 * ```ts
 * const calls = new RtviCalls({
 *   scope,
 *   secret: process.env.CALL_SECRET,
 *   onCall: (line) => new Session({ agent, models, line }).start(),
 * })
 * const server = createServer((request, response) => {
 *   if (!calls.request(request, response)) response.writeHead(404).end()
 * })
 * server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
 * ```
 *
 * A client posts to `/start`, and gets an address and a token that is good for one call. It connects with both. Without a secret,
 * a page on this machine may also connect to `/rtvi` right away. `/connect` and `/ws-client` are what these addresses are called
 * in Pipecat's examples.
 */
export class RtviCalls extends BaseCalls<RtviCall> {
  readonly #options: RtviCallsOptions
  readonly #tokens: OneTimeTokens
  /** Those for any transport, and those for this one. */
  readonly #endpoints: readonly StartEndpoint[]
  readonly #sockets: SocketServer
  readonly #socketPaths: readonly string[]

  constructor(options: RtviCallsOptions) {
    checkOptions('RtviCalls', options, optionNames)
    checkLimits(options)
    checkRtviValues(options)
    const { startPath = '/start', socketPath = '/rtvi' } = options
    checkPaths({ startPath, socketPath }, options.publicUrl)
    super({ ...options, name: 'rtvi calls', closePatience: limits.closePatience })
    const { scope, secret, origins, tokenKey = newKey() } = options
    this.#options = options
    this.#socketPaths = options.socketPath === undefined ? [socketPath, '/ws-client'] : [socketPath]
    const { token: lifetime, tokenLength: maxLength } = limits
    this.#tokens = new OneTimeTokens({ key: tokenKey, clock: scope.clock, lifetime, maxLength })
    const rule = { secret, origins }
    const starts = new StartEndpoint({ ...rule, path: startPath, start: (request) => this.#start(request) })
    const connects = new StartEndpoint({ ...rule, path: '/connect', start: (request) => this.start(request) })
    this.#endpoints = options.startPath === undefined ? [starts, connects] : [starts]
    this.#sockets = new SocketServer({
      name: 'rtvi client',
      message: limits.message,
      closePatience: limits.closePatience,
      logger: this.logger,
    })
  }

  /** Whether a request is for these calls: it starts one, or connects to one. */
  concerns(request: { readonly url?: string | undefined }): boolean {
    return this.#endpointFor(request) !== undefined || this.#isSocket(request.url)
  }

  /** Answers a request that starts a call. Returns false for other requests. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    const endpoint = this.#endpointFor(request)
    endpoint?.answer(request, response)
    return endpoint !== undefined
  }

  /**
   * Begins a call for a client that your own server has admitted: answer it with `connection`, as it is. `headers` are those of the
   * client's request; they say how it reaches this server, unless `publicUrl` does.
   */
  async start({ headers, data }: Pick<StartRequest, 'headers' | 'data'>): Promise<StartAnswer> {
    const { publicUrl, hasRoomElsewhere } = this.#options
    const refused = await this.startRefusal(hasRoomElsewhere)
    if (refused) return { refused }
    const given = this.#tokens.give(data)
    if ('refused' in given) return given
    const { id, token } = given
    this.logger.debug({ call: id }, 'a call was started')
    const address = publicAddress(headers, publicUrl).replace(/^http/, 'ws')
    const wsUrl = `${address}${this.#socketPaths[0]}`
    // The client refuses every other field. Older ones know only the second of these names.
    return { connection: { wsUrl, ws_url: wsUrl, token } }
  }

  /** Takes an upgrade from a server of `node:http`. Never throws: a refused client gets the reason over HTTP. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    tcp.on('error', noop)
    const { headers, socket, url = '/' } = request
    const { accept, refused } = this.admit({
      headers,
      address: socket.remoteAddress,
      origin: headers.origin,
      url,
    })
    if (accept) return this.#sockets.upgrade(request, tcp, head, accept)
    const [status, message] = refusals[refused]
    return refuse(tcp, status, refused, message)
  }

  /** @internal Decides about an upgrade: `accept` takes the socket; without it, the upgrade is refused over HTTP. */
  admit(request: SocketRequest): Decision {
    const { origin, address, headers } = request
    const admitted = this.#check(request)
    if (typeof admitted !== 'string')
      return { accept: (peer) => this.#begin(peer, { ...admitted, origin, address, headers }) }
    // Not the address of the request: it has the token.
    this.logger.info({ code: admitted, origin, address }, 'a call was refused')
    return { refused: admitted }
  }

  #check(request: SocketRequest): Admitted | RtviRefusal {
    if (!this.#isSocket(request.url)) return 'NOT_A_CALL'
    if (!mayCall(request, this.#options)) return 'ORIGIN_REFUSED'
    if (this.scope.state !== 'live' || !this.isTaking) return 'CLOSING'
    const token = new URLSearchParams(request.url.split('?')[1]).get('token') ?? ''
    if (token === '') return this.#options.secret === undefined ? this.#admitNeighbour() : 'TOKEN_MISSING'
    // Before the token, which would be used up.
    if (this.isFull) return 'BUSY'
    const admitted = this.#tokens.take(token)
    return 'refused' in admitted ? admitted.refused : admitted
  }

  /** Admits a page on this machine that has not started its call: it would get a token without being asked for anything. */
  #admitNeighbour(): Admitted | RtviRefusal {
    return this.refusal() ?? { id: newKey(), data: undefined }
  }

  #isSocket(url = '/'): boolean {
    return this.#socketPaths.includes(url.split('?', 1)[0]!)
  }

  #endpointFor(request: { readonly url?: string | undefined }): StartEndpoint | undefined {
    return this.#endpoints.find((each) => each.concerns(request))
  }

  /** Begins a call over the transport that the client asks for. */
  async #start(request: StartRequest): Promise<StartAnswer> {
    const { webrtc } = this.#options
    const transport = transportOf(request.data) ?? (webrtc ? 'webrtc' : 'websocket')
    if (transport === 'websocket') return await this.start(request)
    return transport === 'webrtc' && webrtc ? await webrtc.start(request) : { refused: 'TRANSPORT_REFUSED' }
  }

  #begin(peer: Peer, info: RtviCallInfo): void {
    const { lostTimeout = 8_000, answerTimeout = 30_000, onCall } = this.#options
    const { tools = 'hidden', playerSampleRate = 24_000 } = this.#options
    const rtvi = { tools, playerSampleRate }
    const call = new RtviCall({ id: info.id, calls: this, answerTimeout, lostTimeout, rtvi })
    call.join(peer)
    this.begin(call, () => onCall(new RtviLine(call), info))
  }
}

type Decision =
  | { readonly accept: (peer: Peer) => void; readonly refused?: undefined }
  | { readonly accept?: undefined; readonly refused: RtviRefusal }
