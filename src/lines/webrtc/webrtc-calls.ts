import type { IncomingMessage, ServerResponse } from 'node:http'
import { noop, type Timer } from '../../scope/index.ts'
import { BaseCalls } from '../base-calls.ts'
import type { Peer } from '../peer.ts'
import { publicAddress } from '../public-address.ts'
import { OneTimeTokens, type Admitted } from '../rtvi/one-time-tokens.ts'
import { StartEndpoint, type StartAnswer, type StartRequest } from '../rtvi/start-endpoint.ts'
import { transportOf } from '../rtvi/transport.ts'
import { newKey } from '../secrets.ts'
import { checkPackages, type IceServer, type IceServers } from '../webrtc-options.ts'
import { checkWebRtcOptions, type WebRtcCallInfo, type WebRtcCallsOptions } from './calls-options.ts'
import { OfferInvalidError } from './errors.ts'
import { limits } from './limits.ts'
import { listIceServers } from './list-ice-servers.ts'
import { ownAddresses } from './own-addresses.ts'
import { OfferEndpoint, type OfferRequest, type SignalAnswer } from './offer-endpoint.ts'
import { ConnectionNames, type SignalRequest } from './other-processes.ts'
import { PeerThreads } from './peer-threads.ts'
import type { Candidates, Offer } from './read-signal.ts'
import type { OfferRefusal } from './refusals.ts'
import { StartedCalls } from './started-calls.ts'
import type { NetworkSettings } from './thread-messages.ts'
import { WebRtcCall } from './webrtc-call.ts'
import { WebRtcLine } from './webrtc-line.ts'
import type { WebRtcPeer } from './webrtc-peer.ts'

/** The connection of a client whose offer was accepted. */
interface Connected {
  readonly peer: WebRtcPeer
  /** When it must have connected. Unset once it has. */
  deadline: Timer | undefined
}

/**
 * Takes calls over WebRTC from RTVI clients: Pipecat's `SmallWebRTCTransport`, unmodified.
 *
 *   client                                   this server                          thread
 *    │── POST /start ────────────────────────────▶│ token                             │
 *    │◀─ { sessionId, webrtcRequestParams, … } ───│                                   │
 *    │── POST /api/offer?token=… ────────────────▶│── open ──────────────────────────▶│
 *    │◀─ { sdp, type: 'answer', pc_id } ──────────│◀──────────────────────── answer ──│
 *    │── PATCH { pc_id, candidates } ────────────▶│── candidates ────────────────────▶│
 *    │◀═══════════════════ ICE, DTLS, Opus, data channel ════════════════════════════▶│
 *    │                                            │◀───────────────────── connected ──│
 *    │                                     onCall(line)                               │
 *
 * ```ts
 * const calls = new WebRtcCalls({
 *   scope,
 *   secret: process.env.CALL_SECRET,
 *   onCall: (line) => new Session({ agent, models, line }).start(),
 * })
 * const server = createServer((request, response) => {
 *   if (!calls.request(request, response)) response.writeHead(404).end()
 * })
 * ```
 */
export class WebRtcCalls extends BaseCalls<WebRtcCall> {
  readonly #options: WebRtcCallsOptions
  readonly #tokens: OneTimeTokens
  readonly #started = new StartedCalls()
  readonly #starts: StartEndpoint
  readonly #offers: OfferEndpoint
  readonly #offerPath: string
  readonly #threads: PeerThreads
  readonly #names: ConnectionNames
  /** By the id of the call, which is part of what clients know as `pc_id`. */
  readonly #peers = new Map<string, Connected>()
  /** Offers that were accepted, and have no connection yet. */
  #accepted = 0

  constructor(options: WebRtcCallsOptions) {
    checkWebRtcOptions(options)
    checkPackages()
    super({ ...options, name: 'webrtc calls', closePatience: limits.closePatience })
    const { scope, secret, origins, tokenKey = newKey() } = options
    const { startPath = '/start', offerPath = '/api/offer' } = options
    this.#options = options
    this.#offerPath = offerPath
    this.#names = new ConnectionNames(options.otherProcesses, scope, this.logger)
    this.#threads = new PeerThreads({
      clock: scope.clock,
      logger: this.logger,
      changed: () => this.changed(),
    })
    const { token: lifetime, tokenLength: maxLength } = limits
    this.#tokens = new OneTimeTokens({ key: tokenKey, clock: scope.clock, lifetime, maxLength })
    const start = (request: StartRequest): Promise<StartAnswer> => this.start(request)
    this.#starts = new StartEndpoint({ secret, origins, path: startPath, start })
    this.#offers = new OfferEndpoint({
      secret,
      origins,
      path: offerPath,
      offer: (offer, request) => this.#offer(offer, request),
      candidates: (candidates, request) => this.#candidates(candidates, request),
      withdraw: (pcId, request) => this.#withdraw(pcId, request),
      passOn: (name, request) => this.#passToNamed(name, request),
      tokenOf: (name) => this.#started.tokenOf(this.#names.read(name).id),
    })
  }

  /** How many clients are about to connect. */
  get arriving(): number {
    return this.#accepted + [...this.#peers.values()].filter(({ deadline }) => deadline).length
  }

  /** Whether a request is for these calls. */
  concerns(request: { readonly url?: string | undefined }): boolean {
    return this.#starts.concerns(request) || this.#offers.concerns(request)
  }

  /** Answers a request that starts a call, or has an offer or candidates. Returns false for other requests. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.concerns(request)) return false
    const endpoint = this.#starts.concerns(request) ? this.#starts : this.#offers
    endpoint.answer(request, response)
    return true
  }

  /**
   * Begins a call for a client that your own server has admitted: answer it with `connection`, as it is. `headers` are those of the
   * client's request; they say how it reaches this server, unless `publicUrl` does.
   */
  async start({ headers, data }: Pick<StartRequest, 'headers' | 'data'>): Promise<StartAnswer> {
    const { publicUrl, hasRoomElsewhere, iceServers } = this.#options
    if (['websocket', 'other'].includes(transportOf(data) ?? 'webrtc'))
      return { refused: 'TRANSPORT_REFUSED' }
    const refused = await this.startRefusal(hasRoomElsewhere)
    if (refused) return { refused }
    const given = this.#tokens.give(data)
    if ('refused' in given) return given
    const { id, token } = given
    this.#started.add(id, token)
    const address = `${publicAddress(headers, publicUrl)}${this.#offerPath}`
    this.logger.debug({ call: id }, 'a call was started')
    return {
      connection: {
        sessionId: this.#names.nameOf(id),
        webrtcRequestParams: { endpoint: `${address}?token=${encodeURIComponent(token)}` },
        ...(iceServers ? { iceConfig: { iceServers: await this.#list(iceServers) } } : {}),
      },
    }
  }

  override closing(): void {
    for (const { peer, deadline } of this.#peers.values()) if (deadline) peer.abort()
    super.closing()
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#threads.close()
  }

  override abort(): void {
    super.abort()
    this.#threads.abort()
  }

  override inspect(): object {
    return { ...super.inspect(), arriving: this.arriving, threads: this.#threads.size }
  }

  /** Those who are about to connect take places, too. */
  protected override get isFull(): boolean {
    const { maxCalls = 100 } = this.#options
    return super.isFull || this.size + this.arriving >= maxCalls
  }

  /** @internal A client has connected: its call begins. */
  take(peer: Peer, info: WebRtcCallInfo): void {
    const { lostTimeout = 3_000, answerTimeout = 30_000, tools = 'hidden', onCall } = this.#options
    const call = new WebRtcCall({ id: info.id, calls: this, answerTimeout, lostTimeout, rtvi: { tools } })
    call.join(peer)
    this.begin(call, () => onCall(new WebRtcLine(call), info))
  }

  async #offer(offer: Offer, request: OfferRequest): Promise<SignalAnswer> {
    const { origin, address, headers } = request
    const passed = await this.#passOffer(offer, request)
    if (passed) return passed
    const admitted = this.admit(offer, request)
    if (typeof admitted === 'string') {
      // Not the address of the request: it has the token.
      this.logger.info({ code: admitted, origin, address }, 'an offer was refused')
      return { refused: admitted }
    }
    const { id } = admitted
    this.#accepted++
    const network = await this.#network().catch(noop)
    this.#accepted--
    if (!network || this.scope.state !== 'live') return { refused: 'CLOSING' }
    const peer = this.#connect(offer.sdp, network, { ...admitted, origin, address, headers })
    try {
      return { body: { sdp: await peer.answer, type: 'answer', pc_id: this.#names.nameOf(id) } }
    } catch (error) {
      this.logger.info({ call: id, error }, 'an offer was not answered')
      return { refused: error instanceof OfferInvalidError ? 'OFFER_INVALID' : 'FAILED' }
    }
  }

  /**
   * @internal Decides about an offer. A client that names a connection wants to join its call again, or to change it: neither is
   * possible.
   */
  admit(
    { pcId, data }: Pick<Offer, 'pcId' | 'data'>,
    { token }: Pick<OfferRequest, 'token'>,
  ): Admitted | OfferRefusal {
    if (pcId !== undefined) return this.#peers.has(this.#names.read(pcId).id) ? 'REJOIN_REFUSED' : 'CALL_GONE'
    if (token === undefined) return this.refusal() ?? { id: newKey(), data }
    if (this.scope.state !== 'live' || !this.isTaking) return 'CLOSING'
    // Before the token, which would be used up.
    if (this.isFull) return 'BUSY'
    const admitted = this.#tokens.take(token)
    return 'refused' in admitted ? admitted.refused : admitted
  }

  async #network(): Promise<NetworkSettings> {
    const { addresses, ports, secret, ownIceServers } = this.#options
    return {
      addresses: addresses ?? ownAddresses(secret === undefined),
      ports,
      iceServers: await this.#list(ownIceServers),
    }
  }

  #list(servers: IceServers | undefined): Promise<readonly IceServer[]> {
    return listIceServers(servers, this.scope, this.logger)
  }

  /** Connects a client. Its call begins when it has connected, which it must do in time. */
  #connect(sdp: string, network: NetworkSettings, info: WebRtcCallInfo): WebRtcPeer {
    const { connectTimeout = 15_000 } = this.#options
    const { id } = info
    const peer = this.#threads.connect(sdp, network, () => {
      entry.deadline?.clear()
      entry.deadline = undefined
      this.take(peer, info)
    })
    const expect = (ms: number): Timer =>
      this.scope.after(ms, `the client of call ${id} connects`, () => {
        this.logger.info({ call: id }, 'a client was accepted, and has not connected')
        peer.abort()
      })
    const entry: Connected = { peer, deadline: expect(limits.answering) }
    this.#peers.set(id, entry)
    this.changed()
    // A thread that has just started needs time to load, which is not the client's.
    peer.answer
      .then(() => {
        if (!entry.deadline || this.scope.state !== 'live') return
        entry.deadline.clear()
        entry.deadline = expect(connectTimeout)
      })
      .catch(noop)
    peer.gone
      .then(() => {
        entry.deadline?.clear()
        this.#peers.delete(id)
        return entry.deadline && this.changed()
      })
      .catch(noop)
    return peer
  }

  /** Has another process answer an offer: the one that has the connection that it names, or one that has room. */
  async #passOffer({ pcId }: Offer, { token, read }: OfferRequest): Promise<SignalAnswer | undefined> {
    if (pcId !== undefined) return await this.#passToNamed(pcId, read)
    if (this.hasRoom) return undefined
    // Checked here as well, because a place is kept in the other process meanwhile.
    const checked = token === undefined ? undefined : this.#tokens.check(token)
    if (checked && 'refused' in checked) return checked
    const passed = await this.#names.passOn(read)
    return passed && { passed }
  }

  /** Has another process answer a request, if the name says that it has the connection or has started the call. */
  async #passToNamed(name: string, read: SignalRequest): Promise<SignalAnswer | undefined> {
    const { process } = this.#names.read(name)
    if (process === undefined) return undefined
    const passed = await this.#names.passOn(read, process)
    return passed ? { passed } : { refused: 'CALL_GONE' }
  }

  /** A client that has not connected will not: it gives its place back. One that has connected says so in its channel. */
  async #withdraw(pcId: string, read: SignalRequest): Promise<SignalAnswer> {
    const passed = await this.#passToNamed(pcId, read)
    if (passed) return passed
    const entry = this.#peers.get(this.#names.read(pcId).id)
    if (!entry?.deadline) return { refused: 'CALL_GONE' }
    entry.peer.abort()
    return { body: { status: 'success' } }
  }

  /** Candidates for a connection that has ended are refused. */
  async #candidates({ pcId, candidates }: Candidates, read: SignalRequest): Promise<SignalAnswer> {
    const passed = await this.#passToNamed(pcId, read)
    if (passed) return passed
    const entry = this.#peers.get(this.#names.read(pcId).id)
    if (!entry) return { refused: 'CALL_GONE' }
    entry.peer.add(candidates)
    return { body: { status: 'success' } }
  }
}
