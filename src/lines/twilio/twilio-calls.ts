import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { silentLogger, type Logger } from '../../parts/index.ts'
import { noop, type Resource, type Scope } from '../../scope/index.ts'
import { SocketDoor, type Accept } from '../accepted-socket.ts'
import { RateLimit } from '../rate-limit.ts'
import { refuse } from '../refuse.ts'
import { closeCodes } from './call-stream.ts'
import { Calling, type CarrierRequest, type Ticket } from './calling.ts'
import { busyDocument, endedStatuses, hangUpDocument, type Carrier } from './carrier.ts'
import { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import { Lobby } from './lobby.ts'
import { carrierOf, checkOptions, type PhoneCallInfo, type TwilioCallsOptions } from './options.ts'
import { readBody } from './read-body.ts'
import type { StartMessage } from './read-message.ts'
import { TwilioLine } from './twilio-line.ts'

/** What a webhook is answered with. */
export interface Answer {
  readonly status: 200 | 204 | 400 | 403 | 404
  readonly body: string
}

type Admitted = { readonly admitted: (accept: Accept) => void; readonly refused?: undefined }
type Refused = { readonly admitted?: undefined; readonly refused: keyof typeof refusals }

/** Why a stream was not taken, with the status that it has in HTTP. */
const refusals = {
  NOT_A_CALL: [404, 'there are no streams at this address'],
  NOT_THE_CARRIER: [403, 'the request was not signed by the carrier for this address: check publicUrl'],
  BUSY: [503, 'too many streams have not said which call they are of'],
  CLOSING: [503, 'the server takes no calls any more'],
} as const

const door = new SocketDoor({ name: 'phone', message: limits.message, closePatience: limits.closePatience })

/**
 * Takes calls from the phone network, by Twilio's Media Streams or those of Telnyx.
 *
 * ```ts
 * const calls = new TwilioCalls({
 *   scope,
 *   authToken: process.env.TWILIO_AUTH_TOKEN,
 *   publicUrl: 'https://phone.example.com',
 *   onCall: (line) => new Session({ agent, models, line }).start(),
 * })
 * const server = createServer((request, response) => {
 *   if (!calls.request(request, response)) response.writeHead(404).end()
 * })
 * server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
 * ```
 *
 * A call begins with the webhook, or with its stream if that comes first. Its name is its key: a webhook that is
 * repeated, or another stream, is of the same call, and of none once that is over.
 */
export class TwilioCalls implements Resource {
  readonly #options: TwilioCallsOptions
  readonly #scope: Scope<string>
  readonly #path: string
  readonly #carrier: Carrier
  readonly #calling: Calling
  readonly #lobby: Lobby
  readonly #rate: RateLimit
  readonly #logger: Logger
  /** Calls that are going on, or waiting for an answer. */
  readonly #lines = new Map<string, TwilioLine>()
  /** Those, and what of them has not quite gone. */
  readonly #leaving = new Set<TwilioLine>()
  /** Calls that are over, the latest last. */
  readonly #past = new Set<string>()

  constructor(options: TwilioCallsOptions) {
    checkOptions(options)
    const { scope, authToken, publicUrl, maxRate = 20, path = '/phone' } = options
    this.#options = options
    this.#scope = scope
    this.#path = path.replace(/\/+$/, '')
    this.#logger = options.logger ?? silentLogger
    this.#carrier = carrierOf(options)
    this.#calling = new Calling({
      carrier: this.#carrier,
      secret: authToken,
      publicUrl,
      date: () => scope.clock.date(),
    })
    this.#lobby = new Lobby(this.#carrier, scope)
    this.#rate = new RateLimit({ perSecond: maxRate, burst: Math.max(1, maxRate) }, scope.clock.now())
    scope.own('phone calls', this)
  }

  /** How many calls are going on. */
  get size(): number {
    return this.#lines.size
  }

  /** Whether a request is for the phone, by its path. */
  concerns({ url = '/' }: { readonly url?: string | undefined }): boolean {
    return url.startsWith(`${this.#path}/`)
  }

  /** Takes a request of a server of `node:http`. False if it is for somebody else. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.concerns(request)) return false
    response.on('error', noop)
    readBody(request, limits.body)
      .then(
        (body) => {
          const { status, body: text } = this.webhook(requestOf(request, body))
          response.writeHead(status, { 'content-type': 'text/xml; charset=utf-8' }).end(text)
        },
        () => response.writeHead(413, { connection: 'close' }).end(),
      )
      .catch(noop)
    return true
  }

  /** Takes an upgrade of a server of `node:http`. Never throws: whoever is not let in is told why. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    tcp.on('error', noop)
    const { admitted, refused } = this.admit(requestOf(request, ''))
    if (admitted) door.accept(request, tcp, head, admitted)
    else refuse(tcp, refusals[refused][0], refused, refusals[refused][1])
  }

  /** @internal What `request` answers. */
  webhook(request: CarrierRequest): Answer {
    const [path = '', query = ''] = request.url.split('?', 2)
    const purpose = path.slice(this.#path.length)
    if (purpose !== '/answer' && purpose !== '/status') return { status: 404, body: '' }
    if (!this.#calling.admits(request)) return this.#refuse(request, 'NOT_THE_CARRIER')
    const fields = new URLSearchParams(request.method === 'POST' ? request.body : query)
    const call = fields.get('CallSid') ?? ''
    if (call === '' || call.length > limits.name || !this.#isOurs(fields.get('AccountSid') ?? undefined))
      return { status: 400, body: '' }
    const over = endedStatuses.has(fields.get('CallStatus') ?? '')
    if (over) this.#isOver(call)
    if (purpose === '/status') return { status: 204, body: '' }
    return { status: 200, body: over ? hangUpDocument : this.#answer(call, fields, request) }
  }

  /** @internal What `upgrade` decides: `admitted` takes the socket. */
  admit(request: CarrierRequest): Admitted | Refused {
    const ticket = this.#ticketOf(request.url)
    if (ticket === 'none') return { refused: 'NOT_A_CALL' }
    if (!this.#calling.admitsStream(request, ticket)) return this.#turnDown(request, 'NOT_THE_CARRIER')
    if (this.#scope.state !== 'live') return this.#turnDown(request, 'CLOSING')
    if (this.#lobby.size >= 2 * (this.#options.maxCalls ?? 100)) return this.#turnDown(request, 'BUSY')
    return {
      admitted: (accept) =>
        this.#lobby.enter(accept, (start, taken) => this.#started(start, taken, ticket?.call)),
    }
  }

  closing(): void {
    for (const line of this.#lines.values()) line.dismiss()
    this.#lobby.abort()
  }

  async close(): Promise<void> {
    this.#lobby.abort()
    await Promise.all([...this.#leaving].map((line) => line.gone()))
  }

  abort(): void {
    for (const line of this.#leaving) line.abort()
    this.#lobby.abort()
  }

  inspect(): object {
    return { carrier: this.#carrier.name, calls: this.#lines.size, streams: this.#lobby.size }
  }

  // ── webhooks ──

  /** What to do with a call. The same each time it is asked. */
  #answer(call: string, fields: URLSearchParams, request: CarrierRequest): string {
    if (this.#past.has(call) || this.#lines.get(call)?.welcomes === false) return hangUpDocument
    const from = fields.get('From') ?? undefined
    const to = fields.get('To') ?? undefined
    const begins = this.#options.beginsWith !== 'stream'
    if (begins && !this.#lines.has(call)) {
      if (!this.#hasRoom()) return busyDocument
      const details = Object.fromEntries([...fields].slice(0, limits.parameters))
      this.#begin({ id: call, from, to, details }, fields.get('AccountSid') ?? undefined)
    }
    const streams = `${this.#path}/stream${this.#calling.ticketFor(call)}`
    return this.#carrier.connect({
      url: this.#calling.publicAddress(request, streams, 'ws'),
      // Without that the call would be over as soon as a stream breaks, and could not come back (LN4); but only here it
      // is known whether it may.
      after: begins ? this.#calling.publicAddress(request, `${this.#path}/answer`) : undefined,
      // For a process that knows only the stream.
      parameters: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    })
  }

  #refuse(request: CarrierRequest, code: keyof typeof refusals): Answer {
    this.#turnDown(request, code)
    return { status: 403, body: '' }
  }

  #isOver(call: string): void {
    const line = this.#lines.get(call)
    if (line) line.hungUp()
    else this.#remember(call)
  }

  // ── streams ──

  #ticketOf(url: string): Ticket | undefined | 'none' {
    const streams = `${this.#path}/stream`
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

  /** A stream has said of which call it is. */
  #started(start: StartMessage, accept: Accept, expected: string | undefined): void {
    const { call, account, parameters } = start
    if ((expected !== undefined && expected !== call) || !this.#isOurs(account))
      return this.#lobby.turnAway(accept, closeCodes.misbehaved)
    if (!this.#lines.has(call)) {
      if (this.#past.has(call) || !this.#hasRoom()) return this.#lobby.turnAway(accept)
      const { from, to } = parameters
      this.#begin({ id: call, from, to, details: parameters }, account)
    }
    // Whoever was told of the call may have ended it at once, or be about to.
    const line = this.#lines.get(call)
    return line?.welcomes ? line.join(start, accept) : this.#lobby.turnAway(accept)
  }

  #turnDown({ address }: CarrierRequest, code: keyof typeof refusals): Refused {
    this.#logger.info({ code, address }, 'a request of the phone was refused')
    return { refused: code }
  }

  #isOurs(account: string | undefined): boolean {
    const { accountSid } = this.#options
    return accountSid === undefined || account === undefined || account === accountSid
  }

  // ── calls ──

  #hasRoom(): boolean {
    const { maxCalls = 100 } = this.#options
    const has =
      this.#scope.state === 'live' && this.#lines.size < maxCalls && this.#rate.take(this.#scope.clock.now())
    if (!has) this.#logger.warn({ calls: this.#lines.size }, 'a call was refused: there is no room for it')
    return has
  }

  #begin(info: PhoneCallInfo, account: string | undefined): void {
    const { connectTimeout = 10_000, rejoinTimeout = 5_000, lostTimeout = 10_000 } = this.#options
    const { answerTimeout = 30_000, onCall, fetch: ask = fetch } = this.#options
    const { clock } = this.#scope
    const hangUp = new HangUp({ clock, carrier: this.#carrier, fetch: ask, call: info.id, account })
    const line = new TwilioLine(info.id, this.#carrier, this.#scope, {
      connectTimeout,
      rejoinTimeout,
      lostTimeout,
      hangUp,
    })
    this.#lines.set(info.id, line)
    this.#leaving.add(line)
    const unanswered = this.#scope.after(answerTimeout, `answer to call ${info.id}`, () => line.dismiss())
    const ended = (): void => {
      unanswered.clear()
      this.#lines.delete(info.id)
      this.#remember(info.id)
      line
        .gone()
        .then(() => this.#leaving.delete(line))
        .catch(noop)
    }
    line.watch(() => unanswered.clear(), ended)
    new Promise((resolve) => resolve(onCall(line, info))).catch((error: unknown) => {
      this.#logger.warn({ call: line.id, error }, 'a call could not be answered')
      if (!line.answered) line.dismiss()
    })
  }

  #remember(call: string): void {
    this.#past.delete(call)
    this.#past.add(call)
    const [oldest] = this.#past
    if (this.#past.size > limits.remembered && oldest !== undefined) this.#past.delete(oldest)
  }
}

function requestOf(
  { method = 'GET', url = '/', headers, socket }: IncomingMessage,
  body: string,
): CarrierRequest {
  return { method, url, headers, address: socket.remoteAddress, body }
}
