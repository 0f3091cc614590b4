import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RtviCalls } from '../../lines/rtvi-websocket/index.ts'
import type { TwilioCalls } from '../../lines/twilio/index.ts'
import type { WebRtcCalls } from '../../lines/webrtc/index.ts'
import { WebSocketCalls } from '../../lines/websocket/index.ts'
import { silentLogger } from '../../parts/index.ts'
import { noop } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import { isRelayed, relayUpgrade } from '../fleet/relay.ts'
import type { PassedRequest } from '../supervisor/messages.ts'
import type { Refused } from '../gate.ts'
import { Host } from '../host.ts'
import { hashOf } from '../key.ts'
import type { LoggedSession, SessionNote } from '../logged-session.ts'
import { refuseUpgrade, type ListenOptions } from '../http-server.ts'
import { traceparentOf } from '../watch/traceparent.ts'
import { CallsOut } from './calls-out.ts'
import type { EntranceOptions } from './entrance-options.ts'
import { PassOn } from './neighbours.ts'
import { phoneCallsOf } from './phone-calls.ts'
import { rtviCallsOf, webRtcCallsOf } from './rtvi-calls.ts'

/** How long a caller may take to come back, where another process may have to take over the call first. */
const FLEET_REJOIN = 25_000

/** Calls that come back at once, whose stream may never start. */
const MAX_TRACES = 1_000

/** Seconds after which to try again while a host drains. */
const RETRY_AFTER = '5'

/** Where everything comes in: decides who may, and which line, page or endpoint is meant. */
export class Entrance {
  readonly callsOut: CallsOut
  readonly #options: EntranceOptions
  readonly #host: Host
  readonly #pages: WebSocketCalls
  readonly #phone: TwilioCalls
  readonly #rtvi: RtviCalls
  readonly #webRtc: WebRtcCalls | undefined
  readonly #passOn: PassOn
  /** The traces of calls that come back. */
  readonly #traces = new Map<string, string>()
  #draining = false

  constructor(options: EntranceOptions) {
    this.#options = options
    this.#passOn = new PassOn(options.neighbours)
    const { scope, secret, info, agent, page, faults, fleet, recordings } = options
    this.callsOut = new CallsOut({
      dials: () => this.#phone.dials,
      ...(fleet ? { shared: fleet.dials } : {}),
    })
    this.#host = new Host({
      scope,
      callsOut: this.callsOut,
      info: { ...info, agent, call: '/call', ...(options.webrtc ? { webrtc: '/start' } : {}) },
      ...(faults ? { faults } : {}),
      ...(page === undefined ? {} : { page }),
      ...(recordings === undefined ? {} : { recordings }),
      ...(secret === undefined ? {} : { secret, callToken: () => this.#pages.token() }),
      ...(fleet ? { fleet } : {}),
      names: namesOf(options),
    })
    const { maxCalls = 100, logger = silentLogger, hasRoom = () => true, answer } = options
    const { rejoinTimeout = fleet && FLEET_REJOIN } = options
    // All lines share this machine.
    const shared = {
      scope,
      logger,
      maxCalls,
      maxRate: Math.max(20, maxCalls / 5),
      hasRoom: () => this.occupied < maxCalls && hasRoom(),
      ...(options.refused ? { onRefused: options.refused } : {}),
      ...(options.changed ? { onChange: options.changed } : {}),
    }
    this.#pages = new WebSocketCalls({
      ...shared,
      transcript: true,
      ...(secret === undefined ? {} : { secret }),
      ...(rejoinTimeout === undefined ? {} : { rejoinTimeout }),
      onCall: (line, { id, origin, key, headers }) => {
        const from = origin === undefined ? 'a program' : 'browser'
        const trace = this.#traceOf(id) ?? traceparentOf(headers)
        return answer(line, {
          id,
          line: 'browser',
          from,
          info: { id, line: 'browser', direction: 'inbound', parameters: {} },
          resume: { key: hashOf(key) },
          ...(trace === undefined ? {} : { trace }),
        })
      },
    })
    this.#webRtc = webRtcCallsOf(options, shared)
    this.#rtvi = rtviCallsOf(options, shared, this.#webRtc)
    this.#phone = phoneCallsOf(options, shared, (call) => this.#traceOf(call))
  }

  /** The handlers for a server of `node:http`. */
  handlers(): Pick<ListenOptions, 'app' | 'request' | 'upgrade'> {
    return {
      app: this.#host.app,
      request: (request, response) => this.#request(request, response),
      upgrade: (request, tcp, head) => this.#upgrade(request, tcp, head),
    }
  }

  /**
   * The places that are taken: by calls, by streams whose call will begin, and by sessions that close. Calls out that nobody has
   * answered yet take one together, so that the process stays for them (DI5).
   */
  get occupied(): number {
    const { size = 0, arriving = 0 } = this.#webRtc ?? {}
    const calls =
      this.#pages.size + this.#rtvi.size + size + arriving + this.#phone.size + this.#phone.arriving
    return Math.max(calls, this.#options.count()) + (this.#phone.dials.size > 0 ? 1 : 0)
  }

  /** The lines for RTVI clients. */
  get #clientCalls(): (RtviCalls | WebRtcCalls)[] {
    return this.#webRtc ? [this.#rtvi, this.#webRtc] : [this.#rtvi]
  }

  /** Another process had no room for the request of this connection. */
  received(socket: Socket, request: PassedRequest): void {
    this.#passOn.received(socket, request)
  }

  /** Shows a session on the page. */
  add(session: Session, note: SessionNote): LoggedSession {
    return this.#host.add(session, note)
  }

  /** Takes no more calls, and says so (HO3). */
  drain(): void {
    this.#draining = true
    this.#host.leave()
    this.#pages.stopTaking()
    this.#rtvi.stopTaking()
    this.#webRtc?.stopTaking()
    this.#phone.stopTaking()
    this.#phone.dials.stop('the host drains')
  }

  /**
   * Ends a call here without ending it at the carrier: it goes on in another process. RTVI clients cannot come back, so they are
   * told that the call has ended.
   */
  letGo(call: string): void {
    this.#phone.letGo(call)
    this.#pages.letGo(call)
  }

  letGoAll(): void {
    this.#phone.letGoAll()
    this.#pages.letGoAll()
  }

  /** Handles what is not for the app. Returns false for other requests. */
  #request(request: IncomingMessage, response: ServerResponse): boolean {
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    if (path === '/healthz') return reply(response, 200, 'ok')
    if (path === '/readyz')
      return this.#draining ? reply(response, 503, 'draining') : reply(response, 200, 'ready')
    if (path === '/metrics') return this.#metrics(request, response)
    if (this.#phone.concerns(request)) return this.#webhook(request, response)
    for (const calls of this.#clientCalls)
      if (calls.concerns(request)) return this.#clientRequest(calls, request, response)
    return false
  }

  #metrics(request: IncomingMessage, response: ServerResponse): boolean {
    const { metrics } = this.#options
    if (!metrics) return false
    const refused = this.#host.refuses(request)
    if (refused) return reply(response, refused.status, refused.message)
    metrics().then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => reply(response, 503, 'the metrics could not be gathered'),
    )
    return true
  }

  #webhook(request: IncomingMessage, response: ServerResponse): boolean {
    const refused = this.#refuses(request)
    if (!refused) return this.#phone.request(request, response)
    response.writeHead(refused.status).end()
    return true
  }

  /** RTVI clients start a call, or offer a connection for it. */
  #clientRequest(
    calls: RtviCalls | WebRtcCalls,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const refused = this.#refuses(request)
    if (!refused) {
      this.#vouchFor(request)
      return calls.request(request, response)
    }
    const { status, code, message } = refused
    response.writeHead(status, { 'content-type': 'application/json' })
    // Clients show `info` to their user.
    response.end(JSON.stringify({ code, message, info: message }))
    return true
  }

  /** The host's own page has shown the secret when its user logged in. */
  #vouchFor(request: IncomingMessage): void {
    const { secret } = this.#options
    const { headers } = request
    if (secret === undefined || headers.authorization !== undefined || this.#host.refuses(request)) return
    headers.authorization = `Bearer ${secret}`
  }

  #upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    const refused = this.#refuses(request)
    if (refused) return refuseUpgrade(tcp, refused.status)
    this.#options.faults?.watch(tcp)
    const { fleet } = this.#options
    if (this.#rtvi.concerns(request)) return this.#begin(request, tcp, head)
    const ticket = this.#phone.concerns(request) ? undefined : this.#pages.ticketOf(request)
    const call = this.#phone.callOf(request) ?? ticket?.call
    if (call === undefined && !this.#phone.concerns(request)) return this.#begin(request, tcp, head)
    if (!fleet || call === undefined || isRelayed(request) || this.#pages.has(call) || this.#phone.has(call))
      return this.#accept(request, tcp, head)
    tcp.on('error', noop)
    fleet.directory
      .place(call)
      .then((place) => {
        if (tcp.destroyed) return undefined
        if (place.where === 'elsewhere') return relayUpgrade(request, tcp, head, place.address)
        if (place.where === 'unreachable') return refuseUpgrade(tcp, 503)
        const trace = place.where === 'lost' ? place.trace : undefined
        if (!ticket) return this.#begin(request, tcp, head, { call, trace })
        const fits = place.where === 'lost' && place.key === hashOf(ticket.key)
        if (fits) return this.#begin(request, tcp, head, { call, trace, resume: true })
        return this.#accept(request, tcp, head)
      })
      // The page tries again, and the carrier asks again.
      .catch(() => refuseUpgrade(tcp, 503))
    return undefined
  }

  /** A call is about to begin in this process. If there is no room for it, in another. */
  #begin(
    request: IncomingMessage,
    tcp: Duplex,
    head: Buffer,
    { call, trace, resume = false }: { call?: string; trace?: string | undefined; resume?: boolean } = {},
  ): void {
    const here = (): void => {
      this.#remember(call, trace)
      this.#accept(request, tcp, head, resume)
    }
    if (this.#pages.hasRoom || isRelayed(request)) return here()
    return this.#passOn.upgrade(request, tcp, head, here)
  }

  /** Remembers the trace of a call that comes back, until its session begins. */
  #remember(call: string | undefined, trace: string | undefined): void {
    if (call === undefined || trace === undefined) return
    this.#traces.set(call, trace)
    const [oldest] = this.#traces.keys()
    if (this.#traces.size > MAX_TRACES && oldest !== undefined) this.#traces.delete(oldest)
  }

  #traceOf(call: string): string | undefined {
    const trace = this.#traces.get(call)
    this.#traces.delete(call)
    return trace
  }

  #accept(request: IncomingMessage, tcp: Duplex, head: Buffer, resume = false): void {
    if (this.#phone.concerns(request)) return this.#phone.upgrade(request, tcp, head)
    if (this.#rtvi.concerns(request)) return this.#rtvi.upgrade(request, tcp, head)
    return this.#pages.upgrade(request, tcp, head, { resume })
  }

  /**
   * Signed requests of the carrier need no secret, and their host is the public one. RTVI clients may be pages of other origins:
   * their lines check that they have the secret or are on this machine, and their tokens.
   */
  #refuses(request: IncomingMessage): Refused | undefined {
    if (this.#clientCalls.some((calls) => calls.concerns(request)))
      return this.#host.refusesNameOrSecret(request)
    const signed = this.#options.phone?.authToken !== undefined && this.#phone.concerns(request)
    return signed ? undefined : this.#host.refuses(request)
  }
}

function namesOf({ names = [], phone }: EntranceOptions): string[] {
  const own = phone?.publicUrl && URL.canParse(phone.publicUrl) ? [new URL(phone.publicUrl).hostname] : []
  return [...names, ...own]
}

function reply(response: ServerResponse, status: number, text: string): true {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 503 ? { 'retry-after': RETRY_AFTER } : {}),
  })
  response.end(`${text}\n`)
  return true
}
