import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CallRefusal } from '../../lines/index.ts'
import { TwilioCalls, type TwilioCallsOptions } from '../../lines/twilio/index.ts'
import { WebSocketCalls } from '../../lines/websocket/index.ts'
import { silentLogger, type Line, type Logger } from '../../parts/index.ts'
import { noop, type Scope } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { isRelayed, relayRead, relayUpgrade } from '../fleet/relay.ts'
import type { PassedRequest } from '../supervisor/messages.ts'
import type { FaultBoard } from '../fault-board.ts'
import type { Refused } from '../gate.ts'
import { Host, type HostOptions } from '../host.ts'
import { hashOf } from '../key.ts'
import type { LoggedSession, SessionNote } from '../logged-session.ts'
import { refuseUpgrade, type ListenOptions } from '../http-server.ts'
import { traceparentOf } from '../watch/traceparent.ts'
import { CallsOut } from './calls-out.ts'
import { PassOn, type Neighbours } from './neighbours.ts'
import type { NewCallInfo } from './new-call-info.ts'

export interface PhoneAccount {
  readonly carrier?: 'twilio' | 'telnyx'
  readonly authToken?: string
  /** Twilio's other auth token, while one is replaced by the other. */
  readonly secondaryAuthToken?: string
  readonly accountSid?: string
  readonly publicKey?: string
  /** The id of the TeXML application that calls out, at Telnyx. */
  readonly application?: string
  readonly publicUrl?: string
  /** The base URL of the REST API. Default: the carrier's. */
  readonly api?: string
  /** Calls out per second, and calls out at once that nobody has answered yet, per process. Default: 1, and 10. */
  readonly dialRate?: number
  readonly maxDials?: number
  /** Whether the carrier records every call. Default: false. */
  readonly record?: boolean
  /** How keys are pressed. Default: as tones. */
  readonly keys?: 'tones' | 'carrier'
}

export interface EntranceOptions {
  readonly scope: Scope<string>
  readonly info: Omit<HostOptions['info'], 'agent' | 'call'>
  /** The name of the agent, for the page. */
  readonly agent: string
  /** Required from every client, if set. */
  readonly secret?: string
  /** Host names of this server, besides addresses and `localhost`. */
  readonly names?: readonly string[]
  /** The account at the carrier. Without an auth token, only local calls are accepted. */
  readonly phone?: PhoneAccount
  /** The folder for recordings. The page can play them. Default: none, calls are only recorded if the agent file says so. */
  readonly recordings?: string
  /** The folder of the page. Default: none. */
  readonly page?: string
  readonly faults?: FaultBoard & { watch(tcp: Duplex): void }
  /** Calls at once, on all lines together. Default: 100. */
  readonly maxCalls?: number
  /** Whether there is room for another call, by what a call costs. */
  readonly hasRoom?: () => boolean
  /** Finds calls of other processes. Without it, a call lives and dies with this process. */
  readonly fleet?: Fleet
  /** Take the calls that this process has no room for. Without them, such calls are refused. */
  readonly neighbours?: Neighbours
  /** Called when `occupied` may have changed. */
  readonly changed?: () => void
  /** Shared by the processes of one host: signs what they give out for each other, if there is no auth token. */
  readonly ticketKey?: string
  /** The body of `/metrics`, with its content type. */
  readonly metrics?: () => Promise<{ readonly type: string; readonly body: string }>
  /** Called for each new call that is refused. */
  readonly refused?: (why: CallRefusal) => void
  readonly logger?: Logger
  /** How many sessions there are. */
  readonly count: () => number
  readonly answer: (line: Line & { readonly answered: boolean }, call: NewCallInfo) => Promise<void>
}

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
  readonly #passOn: PassOn
  /** The traces of calls that come back. */
  readonly #traces = new Map<string, string>()
  #draining = false

  constructor(options: EntranceOptions) {
    this.#options = options
    this.#passOn = new PassOn(options.neighbours)
    const { scope, secret, phone, info, agent, page, faults, fleet, recordings } = options
    this.callsOut = new CallsOut({
      dials: () => this.#phone.dials,
      ...(fleet ? { shared: fleet.dials } : {}),
    })
    this.#host = new Host({
      scope,
      callsOut: this.callsOut,
      info: { ...info, agent, call: '/call' },
      ...(faults ? { faults } : {}),
      ...(page === undefined ? {} : { page }),
      ...(recordings === undefined ? {} : { recordings }),
      ...(secret === undefined ? {} : { secret, callToken: () => this.#pages.token() }),
      ...(fleet ? { fleet } : {}),
      names: namesOf(options),
    })
    const { maxCalls = 100, logger = silentLogger, hasRoom = () => true, answer } = options
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
      ...(secret === undefined ? {} : { secret }),
      ...(fleet ? { rejoinTimeout: FLEET_REJOIN } : {}),
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
    this.#phone = new TwilioCalls({
      ...shared,
      ...phone,
      ...fleetPhone(options),
      // Not the link: whoever has it may be able to listen.
      onRecording: ({ call, id, url, duration }) => {
        logger.info(
          { call, recording: id, duration, ready: url !== undefined },
          'the carrier has recorded a call',
        )
        fleet?.writes.recorded(call, {
          id,
          ...(url === undefined ? {} : { url }),
          ...(duration === undefined ? {} : { duration }),
        })
      },
      onCall: (line, { id, from, to, account, direction, parameters, details }) => {
        const trace = this.#traceOf(id)
        const other = direction === 'inbound' ? from : to
        return answer(line, {
          id,
          line: 'phone',
          from: other ? `phone ${masked(other)}` : 'phone',
          info: {
            id,
            line: 'phone',
            direction,
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
            parameters,
          },
          comesBack: details['again'] !== undefined,
          resume: {
            ...(account === undefined ? {} : { account }),
            ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
          },
          ...(trace === undefined ? {} : { trace }),
        })
      },
    })
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
    const calls = this.#pages.size + this.#phone.size + this.#phone.arriving
    return Math.max(calls, this.#options.count()) + (this.#phone.dials.size > 0 ? 1 : 0)
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
    this.#pages.stopTaking()
    this.#phone.stopTaking()
    this.#phone.dials.stop('the host drains')
  }

  /** Ends a call here without ending it at the carrier: it goes on in another process. */
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

  #upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    const refused = this.#refuses(request)
    if (refused) return refuseUpgrade(tcp, refused.status)
    this.#options.faults?.watch(tcp)
    const { fleet } = this.#options
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
    return this.#pages.upgrade(request, tcp, head, { resume })
  }

  /** Signed requests of the carrier need no secret, and their host is the public one. */
  #refuses(request: IncomingMessage): Refused | undefined {
    const signed = this.#options.phone?.authToken !== undefined && this.#phone.concerns(request)
    return signed ? undefined : this.#host.refuses(request)
  }
}

/** In a fleet, any process can answer a webhook, and any process can go on with a call. */
function fleetPhone({ fleet, ticketKey, neighbours }: EntranceOptions): Partial<TwilioCallsOptions> {
  if (!fleet) return {}
  return {
    beginsWith: 'stream',
    comesBack: async (call) => {
      const { where } = await fleet.directory.place(call)
      if (where === 'unreachable') return 'later'
      if (where === 'unknown') return 'unknown'
      return where === 'elsewhere' || where === 'lost' ? 'yes' : 'no'
    },
    passOn: async (call, request) => {
      if (isRelayed(request)) return undefined
      const place = await fleet.directory.place(call)
      return place.where === 'elsewhere' ? relayRead(request, place.address) : undefined
    },
    sharedDials: fleet.dials,
    ...(ticketKey === undefined ? {} : { ticketKey }),
    ...(neighbours ? { hasRoomElsewhere: () => neighbours.hasRoom() } : {}),
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

/** The last two digits: enough to tell calls apart, without showing the caller's number in the page. */
function masked(number: string): string {
  return `…${number.slice(-2)}`
}
