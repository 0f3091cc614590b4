import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { silentLogger, type Logger } from '../../parts/index.ts'
import { OptionError, noop, type Resource, type Scope, type Socket } from '../../scope/index.ts'
import { SocketDoor, type Accept } from '../accepted-socket.ts'
import { newKey } from '../secrets.ts'
import { Admission, type CallRequest } from './admission.ts'
import { makeToken, type TokenOptions } from './call-token.ts'
import { limits } from './limits.ts'
import { subprotocol } from './protocol.ts'
import { refuseCall, statusOf, type RefusalCode } from './refusal.ts'
import { WebSocketLine } from './websocket-line.ts'

const door = new SocketDoor({
  name: 'page',
  message: limits.message,
  closePatience: limits.closePatience,
  protocol: subprotocol,
})

/** What is known of a call before it is answered. */
export interface CallInfo {
  /** Names the call; the line has it, too. */
  readonly id: string
  /** What the token says: `data` of `calls.token({ data })`. Undefined without a secret. */
  readonly data: unknown
  /** Where the page came from. Undefined if a program calls. */
  readonly origin: string | undefined
  /** The address at the other end of the connection: that of the proxy, if there is one. */
  readonly address: string | undefined
  /** Path and query, as they were asked for. */
  readonly url: string
}

export interface WebSocketCallsOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Somebody calls: make a session with the line, and start it. What it throws refuses the call. */
  onCall: (line: WebSocketLine, info: CallInfo) => unknown
  /**
   * Tokens are signed with it, and nobody gets in without one. Unless it is set, only pages of this very machine may
   * call. Have 32 random bytes, the same on all servers.
   */
  secret?: string | undefined
  /** The origins whose pages may call: `https://example.com`. With a secret any, unless set. */
  origins?: readonly string[] | undefined
  /** 16,000 unless set. */
  sampleRate?: 16_000 | 24_000 | 48_000
  /** How long a page that was cut off may take to come back: 5 s unless set (LN1). */
  rejoinTimeout?: number
  /** How long a page may give no sign of life: 10 s unless set (LN2). */
  lostTimeout?: number
  /** How long `onCall` may take to open the line: 30 s unless set, as long as a session may take to start. */
  answerTimeout?: number
  /** Calls at once: 100 unless set. */
  maxCalls?: number
  /** New calls a second: 20 unless set. */
  maxRate?: number
  logger?: Logger
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
export class WebSocketCalls implements Resource {
  readonly #options: WebSocketCallsOptions
  readonly #scope: Scope<string>
  readonly #admission: Admission
  readonly #logger: Logger
  /** Calls that are going on, or waiting for an answer. */
  readonly #lines = new Map<string, WebSocketLine>()
  /** Those, and what of them has not quite gone. */
  readonly #leaving = new Set<WebSocketLine>()
  /** Sockets of pages that were refused, until they have gone. */
  readonly #refused = new Set<Socket>()

  constructor(options: WebSocketCallsOptions) {
    check(options)
    const { scope } = options
    this.#options = options
    this.#scope = scope
    this.#logger = options.logger ?? silentLogger
    this.#admission = new Admission(scope.clock, options, {
      lines: this.#lines,
      isClosing: () => scope.state !== 'live',
    })
    scope.own('browser calls', this)
  }

  /** How many calls are going on. */
  get size(): number {
    return this.#lines.size
  }

  /** A token for one page, to be made by your server for whom it trusts. */
  token(options?: TokenOptions): string {
    const { secret } = this.#options
    if (secret === undefined) throw new OptionError('tokens need a secret: pass the option secret')
    return makeToken(secret, this.#scope.clock.date(), options)
  }

  /** Takes an upgrade of a server of `node:http`. Never throws: whoever is not let in is told why. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    tcp.on('error', noop)
    const { admitted, refused, speaks } = this.admit(requestOf(request))
    if (admitted) door.accept(request, tcp, head, admitted)
    // A page cannot read the answer to an upgrade that fails; so one that speaks our protocol is told in it.
    else if (speaks) door.accept(request, tcp, head, (accept) => this.#turnAway(accept, refused))
    else refuseCall(tcp, refused)
  }

  /** @internal What `upgrade` decides: `admitted` takes the socket. */
  admit(request: CallRequest): Decision {
    const verdict = this.#admission.check(request)
    if (verdict.kind === 'new')
      return { admitted: (accept) => this.#begin(accept, { ...verdict.info, id: newKey() }) }
    if (verdict.kind === 'back') return { admitted: (accept) => verdict.line.rejoin(accept) }
    const { code, speaks } = verdict
    this.#logger.info({ code, origin: request.origin, address: request.address }, 'a call was refused')
    return { refused: code, speaks }
  }

  closing(): void {
    for (const line of this.#lines.values()) line.dismiss('closing')
  }

  async close(): Promise<void> {
    for (const socket of this.#refused) socket.abort()
    await Promise.all([...this.#leaving].map((line) => line.gone()))
  }

  abort(): void {
    for (const line of this.#leaving) line.abort()
    for (const socket of this.#refused) socket.abort()
  }

  inspect(): object {
    return { calls: this.#lines.size }
  }

  #turnAway(accept: Accept, code: RefusalCode): void {
    const ended = (): void => void this.#refused.delete(socket)
    const socket = accept({ opened: noop, message: noop, ended })
    this.#refused.add(socket)
    socket.close(4000 + statusOf(code), code)
  }

  #begin(accept: Accept, info: CallInfo): void {
    const { sampleRate = 16_000, rejoinTimeout = 5_000, lostTimeout = 10_000, onCall } = this.#options
    const { answerTimeout = 30_000 } = this.#options
    const line = new WebSocketLine(info.id, accept, this.#scope, { sampleRate, rejoinTimeout, lostTimeout })
    this.#lines.set(info.id, line)
    this.#leaving.add(line)
    const unanswered = this.#scope.after(answerTimeout, `answer to call ${info.id}`, () =>
      line.dismiss('unanswered'),
    )
    const ended = (): void => {
      unanswered.clear()
      this.#lines.delete(info.id)
      line
        .gone()
        .then(() => this.#leaving.delete(line))
        .catch(noop)
    }
    line.watch(() => unanswered.clear(), ended)
    this.#answer(() => onCall(line, info), line)
  }

  /** Runs the user's code, which may throw now or later. Once there is a session, that ends the call. */
  #answer(answer: () => unknown, line: WebSocketLine): void {
    new Promise((resolve) => resolve(answer())).catch((error: unknown) => {
      this.#logger.warn({ call: line.id, error }, 'a call could not be answered')
      if (!line.answered) line.dismiss('unanswered')
    })
  }
}

type Decision =
  | { readonly admitted: (accept: Accept) => void; readonly refused?: undefined; readonly speaks?: undefined }
  | { readonly admitted?: undefined; readonly refused: RefusalCode; readonly speaks: boolean }

function requestOf({ headers, socket, url = '/' }: IncomingMessage): CallRequest {
  const { origin, host } = headers
  const protocols = headers['sec-websocket-protocol']?.split(/\s*,\s*/) ?? []
  return { origin, host, address: socket.remoteAddress, url, protocols }
}

function check({
  secret,
  rejoinTimeout = 0,
  lostTimeout = 1,
  maxCalls = 1,
  maxRate = 1,
}: WebSocketCallsOptions): void {
  if (secret !== undefined && secret.length < 16)
    throw new OptionError('secret must have 16 characters or more: take 32 random bytes')
  if (!(rejoinTimeout >= 0 && rejoinTimeout < Infinity && lostTimeout > 0 && lostTimeout < Infinity))
    throw new OptionError('rejoinTimeout and lostTimeout must be finite numbers of milliseconds')
  if (!(maxCalls > 0 && maxRate > 0)) throw new OptionError('maxCalls and maxRate must be above 0')
}
