import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { noop } from '../../scope/index.ts'
import { SocketServer } from '../accepted-socket.ts'
import { BaseCalls } from '../base-calls.ts'
import type { Peer } from '../peer.ts'
import { refuse } from '../refuse.ts'
import {
  type Calling,
  readRequest,
  requestOf,
  type CarrierRequest,
  type Ticket,
  type Webhook,
  type WebhookAnswer,
} from './calling.ts'
import { CallDocuments, afterOf, attemptOf } from './call-documents.ts'
import {
  busyDocument,
  dialOutcomeOf,
  emptyDocument,
  endedStatuses,
  hangUpDocument,
  transferOutcomeOf,
  verdictOf,
  type Carrier,
} from './carrier.ts'
import type { Dial, DialOptions } from './dial.ts'
import { Dials } from './dials.ts'
import { limits } from './limits.ts'
import { Lobby } from './lobby.ts'
import {
  callingOf,
  carrierOf,
  checkCallsOptions,
  dialingOf,
  fetchOf,
  type ComesBack,
  type PhoneCallInfo,
  type TwilioCallsOptions,
} from './options.ts'
import { OtherProcesses } from './other-processes.ts'
import type { CallWishes } from './phone-call-options.ts'
import { PhoneCall, closeCodes } from './phone-call.ts'
import type { StartMessage } from './read-message.ts'
import { reportRecording } from './recorded-call.ts'
import { refusals, type Decision, type RefusalCode } from './refusals.ts'
import { factsIn, readParameters, streamParameters } from './stream-parameters.ts'
import { TwilioLine } from './twilio-line.ts'
import { WarmTransfers } from './warm-transfers.ts'

/**
 * Takes calls from the phone network, through the media streams of Twilio or Telnyx.
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
 * A call begins with its webhook, whose answer has the address for the stream: it is good for one stream of this call.
 * The carrier's name for the call is the key: a repeated webhook or another stream belongs to the same call, and is
 * refused once that call has ended.
 */
export class TwilioCalls extends BaseCalls<PhoneCall> {
  /** @internal */
  readonly dials: Dials
  readonly #options: TwilioCallsOptions
  readonly #path: string
  readonly #carrier: Carrier
  readonly #calling: Calling
  readonly #documents: CallDocuments
  readonly #others: OtherProcesses | undefined
  readonly #warm: WarmTransfers
  readonly #lobby: Lobby
  readonly #sockets: SocketServer

  constructor(options: TwilioCallsOptions) {
    checkCallsOptions(options)
    super({ ...options, name: 'phone calls', closePatience: limits.closePatience })
    const { scope, path = '/phone' } = options
    const carrier = carrierOf(options)
    this.#options = options
    this.#path = path.replace(/\/+$/, '')
    this.#carrier = carrier
    const calling = callingOf(options, carrier, this.#path)
    this.#calling = calling
    this.#documents = new CallDocuments({ carrier, calling, path: this.#path, after: afterOf(options) })
    const { logger } = this
    const changed = (): void => this.changed()
    this.dials = new Dials({ ...dialingOf(options, carrier, this.#path), changed, logger })
    this.#warm = new WarmTransfers({ scope, dials: this.dials })
    const { passOn, comesBack, hasRoomElsewhere } = options
    const asksOthers = passOn ?? comesBack ?? hasRoomElsewhere
    this.#others = asksOthers && new OtherProcesses(options, logger)
    this.#lobby = new Lobby({
      scope,
      carrier,
      turnAway: (peer) => this.turnAway(peer, closeCodes.misbehaved, 'refused'),
      changed: () => this.changed(),
    })
    const { message, closePatience } = limits
    this.#sockets = new SocketServer({ name: 'phone', message, closePatience, logger: this.logger })
  }

  /** How many calls will begin with a stream that has not yet said which call it belongs to. */
  get arriving(): number {
    return [...this.#lobby.calls].filter((call) => !this.has(call)).length
  }

  /**
   * Calls somebody. When the call is answered, `onCall` gets its line, like that of an inbound call. Throws if the options make no
   * sense, or if this server cannot call out. The outcome is always reported, once (DI1).
   */
  dial(options: DialOptions): Dial {
    return this.dials.start(options)
  }

  /** Whether a request is for the phone, by its path. */
  concerns({ url = '/' }: { readonly url?: string | undefined }): boolean {
    return url.startsWith(`${this.#path}/`)
  }

  /** Takes a request from a server of `node:http`. Returns false if it is not for the phone. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.concerns(request)) return false
    response.on('error', noop)
    readRequest(request)
      .then(
        async (asked) => {
          const { status, body } = await this.decide(asked)
          response.writeHead(status, { 'content-type': 'text/xml; charset=utf-8' }).end(body)
        },
        () => response.writeHead(413, { connection: 'close' }).end(),
      )
      .catch(noop)
    return true
  }

  /** Takes an upgrade from a server of `node:http`. Never throws: a refused request gets the reason. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    tcp.on('error', noop)
    const { accept, refused } = this.admit(requestOf(request))
    if (accept) this.#sockets.upgrade(request, tcp, head, accept)
    else refuse(tcp, refusals[refused][0], refused, refusals[refused][1])
  }

  /** The call whose stream an upgrade claims to be, or the one that it was made for: the process to go to has that call. */
  callOf({ url = '/' }: { readonly url?: string | undefined }): string | undefined {
    const ticket = this.#calling.ticketIn(url, `${this.#path}/stream`)
    return ticket === 'none' ? undefined : (ticket?.madeFor ?? ticket?.call)
  }

  /** @internal Answers a webhook, by what all processes know. */
  async decide(request: CarrierRequest): Promise<WebhookAnswer> {
    const webhook = this.#calling.webhookOf(request)
    if (typeof webhook === 'number') return this.#refused(request, webhook)
    const { call, dial, madeFor } = webhook
    const others = this.#others
    const answer = this.has(madeFor ?? call) ? undefined : await others?.passOn(webhook)
    if (answer) return answer
    const place = dial === null || this.has(call) ? 'here' : await this.dials.place(dial, request)
    if (typeof place === 'object') return place.elsewhere
    const comesBack = this.has(call) || this.hasPassed(call) ? undefined : await others?.comesBack(webhook)
    const hasRoomElsewhere = !this.hasRoom && (await others?.haveRoom(webhook))
    return {
      status: 200,
      body: this.#documentFor(webhook, place, comesBack ?? 'no', hasRoomElsewhere === true),
    }
  }

  /** @internal Answers a webhook by what this process knows. */
  webhook(request: CarrierRequest): WebhookAnswer {
    const webhook = this.#calling.webhookOf(request)
    if (typeof webhook === 'number') return this.#refused(request, webhook)
    const { call, dial } = webhook
    const place = dial === null || this.has(call) || this.dials.knows(dial) ? 'here' : 'gone'
    return { status: 200, body: this.#documentFor(webhook, place, 'no', false) }
  }

  #refused(request: CarrierRequest, status: number): WebhookAnswer {
    if (status === 403) this.#refuse(request, 'NOT_THE_CARRIER')
    return { status, body: '' }
  }

  /**
   * What the carrier should do. `place`: where a call out is dialled. `comesBack`: whether a call that is not known here may come
   * back. `hasRoomElsewhere`: whether another process can take a call that this one has no room for.
   */
  #documentFor(
    webhook: Webhook,
    place: 'here' | 'gone' | 'later',
    comesBack: ComesBack,
    hasRoomElsewhere: boolean,
  ): string {
    const { purpose, call, fields, dial, madeFor } = webhook
    if (purpose === '/leg') return this.#progress(call, fields)
    if (purpose === '/recording') reportRecording(webhook, this.#options.onRecording, this.logger)
    if (purpose === '/recording') return emptyDocument
    if (purpose === '/conference') this.#warm.joined(call, fields)
    if (purpose === '/verdict') return this.#judged(webhook)
    if (place !== 'here') this.dials.lost(webhook, place)
    if (dial !== null && purpose === '/status') this.dials.reported(dial, call, dialOutcomeOf(fields))
    const hasEnded = endedStatuses.has(fields.get('CallStatus') ?? '')
    if (hasEnded) this.#callEnded(call)
    if (purpose === '/status' || purpose === '/conference') return emptyDocument
    // Somebody was called for a caller who is not here, or no longer.
    if (hasEnded || (madeFor !== undefined && !this.has(madeFor))) return hangUpDocument
    if (purpose === '/transfer') return this.#returned(webhook)
    const known = this.find(call)
    if (!known && (purpose === '/again' || purpose === '/keys'))
      return this.#documents.again(webhook, comesBack)
    if (purpose === '/again') known?.again()
    if (purpose === '/keys') known?.pressed()
    if (place !== 'here')
      return place === 'gone' ? hangUpDocument : this.#documents.askDialAgain(webhook.request, dial!)
    const dialled = dial === null ? undefined : this.dials.asked(dial, call, fields.get('AnsweredBy'))
    if (dialled?.take === false) return hangUpDocument
    if (dialled) this.#warm.answered(dialled.options.key, call)
    return this.#answer(webhook, hasRoomElsewhere, dialled?.options)
  }

  /** @internal Decides whether an upgrade is accepted. */
  admit(request: CarrierRequest): Decision {
    const ticket = this.#calling.ticketIn(request.url, `${this.#path}/stream`)
    if (ticket === 'none') return { refused: 'NOT_A_CALL' }
    const stranger = this.#calling.refusesStream(request, ticket)
    if (stranger !== undefined || !ticket) return this.#refuse(request, stranger ?? 'TICKET_INVALID')
    if (this.scope.state !== 'live') return this.#refuse(request, 'CLOSING')
    const refusal = this.#refusesTicket(ticket)
    if (refusal) return this.#refuse(request, refusal)
    if (this.#lobby.size >= 2 * (this.#options.maxCalls ?? 100)) return this.#refuse(request, 'BUSY')
    const base = this.#documents.base(request)
    const started = (peer: Peer) => (start: StartMessage) => this.#started(start, peer, ticket, base)
    return { accept: (peer) => this.#lobby.enter(peer, ticket.call, started(peer)) }
  }

  override closing(): void {
    super.closing()
    this.#lobby.abort()
  }

  override abort(): void {
    super.abort()
    this.#lobby.abort()
  }

  override inspect(): object {
    return { carrier: this.#carrier.name, ...super.inspect(), streams: this.#lobby.size }
  }

  /** @internal */
  override ended(id: string, released: Promise<void>): void {
    // One that goes on elsewhere may come back to this process.
    const hasEnded = this.find(id)?.isHandedOver !== true
    super.ended(id, released)
    if (hasEnded && this.#warm.isBusy) this.#warm.ended(id)
    if (hasEnded) this.remember(id)
  }

  // ── webhooks ──

  /** Returns what the carrier should do with a call: the same answer, however often it asks. */
  #answer(webhook: Webhook, hasRoomElsewhere: boolean, dialled?: DialOptions): string {
    const { call, account, fields, request, madeFor } = webhook
    const { parameters = webhook.parameters } = dialled ?? {}
    const { record = this.#options.record, keys } = dialled ?? {}
    // A call that comes back was recorded from its beginning.
    const wishes = { records: record === true && webhook.purpose === '/answer', keys }
    const known = this.find(call)
    if (known?.welcomes === false && known.isHandedOver)
      return this.#documents.askAgain(request, '/answer', attemptOf(request))
    if (this.hasPassed(call) || known?.welcomes === false) return hangUpDocument
    const facts = factsIn(fields)
    const begins = this.#options.beginsWith !== 'stream'
    const isExpected = this.#warm.expects(call) !== undefined
    const needsRoom = !known && !isExpected && (begins || !hasRoomElsewhere)
    if (needsRoom && !this.isTaking) return this.#documents.askAgain(request, '/answer', attemptOf(request))
    // The stream counts the call. Without room now, the caller hears the busy signal instead of a stream that breaks (LN12).
    if (needsRoom && !begins && this.isFull) return busyDocument
    if (!known && begins) {
      if (!isExpected && !this.#hasRoom()) return busyDocument
      const details = Object.fromEntries([...fields].slice(0, limits.parameters))
      const info = { id: call, account, ...facts, parameters, details }
      this.#begin(info, this.#documents.base(request), wishes)
    }
    // For a process that sees only the stream.
    const passed = streamParameters({ ...facts, parameters, ...wishes })
    return this.#documents.connect(call, request, passed, madeFor)
  }

  /** Returns what the carrier should do with a caller who talked to somebody else, or wanted to. */
  #returned(webhook: Webhook): string {
    const { fields } = webhook
    const outcome = transferOutcomeOf(fields.get('DialCallStatus') ?? '')
    this.find(webhook.call)?.dialled(outcome, fields.get('DialCallSid') ?? undefined)
    // Also without a call: the session may have been closed while the phone was ringing (LN14).
    return outcome === 'answered' ? hangUpDocument : this.#answer(webhook, false)
  }

  /** The carrier reports how it gets on with a person that it rings for a call. */
  #progress(call: string, fields: URLSearchParams): string {
    if (fields.get('CallStatus') === 'in-progress') this.find(call)?.personAnswered()
    if (dialOutcomeOf(fields) === 'rejected') this.find(call)?.personRejected(fields.get('CallSid') ?? '')
    return emptyDocument
  }

  /** The carrier says who has answered a call out. */
  #judged({ call: id, dial, fields }: Webhook): string {
    const call = this.find(id)
    const verdict = this.hasPassed(id) ? undefined : this.dials.judged(dial, id, verdictOf(fields), !call)
    if (verdict) call?.judged(verdict)
    return emptyDocument
  }

  #callEnded(id: string): void {
    const call = this.find(id)
    if (call) call.hasEndedThere()
    else this.remember(id)
    if (this.#warm.isBusy) this.#warm.ended(id)
  }

  // ── streams ──

  /** Why a stream may not start with this ticket. */
  #refusesTicket(ticket: Ticket): 'CALL_GONE' | 'TICKET_INVALID' | undefined {
    const call = this.find(ticket.call)
    if (call) return call.admits(ticket.id) ? undefined : call.welcomes ? 'TICKET_INVALID' : 'CALL_GONE'
    const begins = this.#options.beginsWith === 'stream' && !this.hasPassed(ticket.call)
    return begins ? undefined : 'CALL_GONE'
  }

  /** A stream has said which call it belongs to. */
  #started(start: StartMessage, peer: Peer, ticket: Ticket, base: string): void {
    const { call: id, account, parameters } = start
    if (ticket.call !== id || !this.#isOurs(account))
      return this.turnAway(peer, closeCodes.misbehaved, 'refused')
    const turnAway = (): void => this.turnAway(peer, closeCodes.ended, 'refused')
    // Again: another stream may have used the ticket since, and the call may have ended.
    if (this.#refusesTicket(ticket)) return turnAway()
    if (!this.find(id)) {
      if (!this.#warm.expects(id) && !this.#hasRoom()) return turnAway()
      const { records, keys, ...facts } = readParameters(parameters)
      this.#begin({ id, account, ...facts, details: parameters }, base, { records, keys })
    }
    // `onCall` may have ended the call already.
    const call = this.find(id)
    return call?.welcomes ? call.start(start, peer, ticket.id) : turnAway()
  }

  #refuse({ address }: CarrierRequest, code: RefusalCode): Decision {
    this.logger.info({ code, address }, 'a request for the phone was refused')
    return { refused: code }
  }

  #isOurs(account: string | undefined): boolean {
    const { accountSid } = this.#options
    return accountSid === undefined || account === undefined || account === accountSid
  }

  // ── calls ──

  #hasRoom(): boolean {
    const code = this.refusal()
    if (code) this.logger.warn({ code, calls: this.size }, 'a call was refused')
    return code === undefined
  }

  /** `base` is the address at which the carrier reaches us. */
  #begin(info: PhoneCallInfo, base: string, wishes: CallWishes): void {
    const { connectTimeout = 10_000, rejoinTimeout = 5_000, lostTimeout = 10_000 } = this.#options
    const { answerTimeout = 30_000, onCall } = this.#options
    const { id, account } = info
    const ask = fetchOf(this.#options)
    const far = { clock: this.scope.clock, carrier: this.#carrier, fetch: ask, call: id, account }
    const timeouts = { answerTimeout, connectTimeout, rejoinTimeout, lostTimeout }
    const number = info.direction === 'inbound' ? info.to : info.from
    const notRecorded = (): void =>
      this.logger.warn({ call: id }, 'the carrier has not confirmed a recording')
    const { records, keys = this.#options.keys } = wishes
    const options = { id, calls: this, far, base, number, warm: this.#warm, notRecorded, records, keys }
    const call = new PhoneCall({ ...options, ...timeouts })
    const verdict = this.dials.verdictOn(id) ?? verdictOf(new URLSearchParams(info.details))
    if (verdict) call.judged(verdict)
    const line = new TwilioLine(call)
    this.begin(call, () => this.#warm.begun(line, call) ?? onCall(line, info))
  }
}
