import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock, systemRandom, type Clock, type Random } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import { Changes } from './changes.ts'
import { LoopbackServer } from './loopback-server.ts'
import type { CallContext } from './twilio-call-context.ts'
import { TwilioCall, type TwilioCallOptions } from './twilio-call.ts'
import type { CarrierDialect } from './twilio-frames.ts'
import { postAsCarrier, type CarrierPost } from './twilio-post.ts'
import { TwilioRest } from './twilio-rest.ts'
import { signAsTelnyx, signAsTwilio } from './twilio-signature.ts'
import { dialAsCarrier, type CarrierDial } from './twilio-wire.ts'

export interface TwilioCarrierOptions {
  /** Signs the carrier's requests and authenticates REST requests. Default: random. */
  readonly authToken?: string
  /** Default: random. */
  readonly accountSid?: string
  /** The format of the media stream. Default: `twilio`. */
  readonly dialect?: CarrierDialect
  /** How many times faster than real time the streams run. Default: 1. */
  readonly speed?: number
  /** The application's public URL, if it differs from the one that is called. Signatures use it. */
  readonly publicUrl?: string
  /** Default: the system clock. */
  readonly clock?: Clock
  readonly random?: Random
  /** Opens streams. Default: over real sockets. */
  readonly dial?: CarrierDial
  /** Posts to webhooks. Default: over HTTP. */
  readonly post?: CarrierPost
}

/**
 * A phone carrier that places calls as Twilio does, records what the caller hears, and can misbehave in many ways. It
 * needs no account, and is independent of the code under test.
 *
 * ```ts
 * await using carrier = await TwilioCarrier.listen({ authToken: 'token' })
 * const call = carrier.call('http://127.0.0.1:4600/phone/answer')
 * await call.listens(1_000) // the greeting, and a second of silence
 * await call.says(question)
 * await call.listens(1_000)
 * call.hangUp()
 * await writeFile('heard.wav', call.heardWav)
 * ```
 */
export class TwilioCarrier {
  readonly authToken: string
  readonly accountSid: string
  /** All calls, the oldest first. */
  readonly calls: TwilioCall[] = []
  readonly rest: TwilioRest
  readonly #options: TwilioCarrierOptions
  readonly #changes = new Changes()
  readonly #random: Random
  readonly #clock: Clock
  readonly #key = generateKeyPairSync('ed25519')
  #server: LoopbackServer | undefined

  /** Does not listen: the REST API can only be used through `rest.answer`. */
  constructor(options: TwilioCarrierOptions = {}) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.authToken = options.authToken ?? this.#newId('')
    this.accountSid = options.accountSid ?? this.#newId('AC')
    this.rest = new TwilioRest({
      account: this.accountSid,
      authToken: this.authToken,
      find: (sid) => this.calls.find((call) => call.sid === sid),
    })
  }

  /** Creates a carrier whose REST API listens on a free port. */
  static async listen(options: TwilioCarrierOptions = {}): Promise<TwilioCarrier> {
    const carrier = new TwilioCarrier(options)
    carrier.#server = await LoopbackServer.listen({
      http: (request, response) => carrier.#http(request, response),
    })
    return carrier
  }

  /** The URL of the REST API, `http://127.0.0.1:port`. Empty if it does not listen. */
  get url(): string {
    return this.#server?.url.replace(/^ws/, 'http') ?? ''
  }

  /** The public key that Telnyx shows in its portal, which verifies the signatures of webhooks. */
  get publicKey(): string {
    return this.#key.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  }

  /** The number of open connections, to and from applications. */
  get open(): number {
    return this.calls.reduce((sum, call) => sum + call.open, this.#server?.open ?? 0)
  }

  /** Places a call. It rings at once. */
  call(webhook: string, options: TwilioCallOptions = {}): TwilioCall {
    const call = new TwilioCall(webhook, this.#callContext(webhook), options)
    this.calls.push(call)
    // `place()` only rejects with an error of the test's own `onEvent`.
    queueMicrotask(() => {
      call.place().catch((error: unknown) => this.#failed(error))
    })
    return call
  }

  /** Resolves when the condition is true. It is checked after each event and each frame of any call. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  /** Aborts all calls and stops listening. */
  abort(): void {
    for (const call of this.calls) call.abort()
    this.#server?.abort()
  }

  /** Like `abort()`. Resolves when all connections have ended. */
  async close(): Promise<void> {
    this.abort()
    await Promise.all(this.calls.map((call) => call.gone()))
    await this.#server?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #callContext(webhook: string): CallContext {
    const {
      dialect = 'twilio',
      speed = 1,
      dial = dialAsCarrier,
      post = postAsCarrier,
      publicUrl,
    } = this.#options
    const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl)
    const localOrigin = new URL(webhook)
    return {
      clock: this.#clock,
      dial,
      post,
      dialect,
      speed,
      account: this.accountSid,
      sign: dialect === 'twilio' ? signAsTwilio(this.authToken) : signAsTelnyx(this.#key, this.#clock),
      toLocal: (url) => (publicOrigin ? moveOrigin(url, publicOrigin, localOrigin) : url),
      toPublic: (url) => (publicOrigin ? moveOrigin(url, localOrigin, publicOrigin) : url),
      newId: (prefix) => this.#newId(prefix),
      changed: () => this.#changes.notify(),
    }
  }

  #http(request: IncomingMessage, response: ServerResponse): void {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.once('end', () => {
      const { method = 'GET', url = '/', headers } = request
      const { down, delay = 0 } = this.rest.manners
      if (down) return void request.socket.resetAndDestroy()
      const answer = (): void => {
        const { status, json } = this.rest.answer({
          method,
          path: url,
          authorization: headers.authorization,
          body,
        })
        if (response.destroyed) return
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
        this.#changes.notify()
      }
      if (delay === 'never') return
      if (delay === 0) return answer()
      const timer = outsideTimer(this.#clock, delay, 'a slow REST API', answer)
      response.once('close', () => timer.clear())
    })
  }

  #newId(prefix: string): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.#random.next() * 16).toString(16))
    return prefix + digits.join('')
  }

  #failed(error: unknown): void {
    this.abort()
    throw error
  }
}

/** Moves a URL from one origin to another. HTTP stays HTTP and WebSocket stays WebSocket; TLS depends on the new origin. */
function moveOrigin(url: string, from: URL, to: URL): string {
  const parsed = new URL(url)
  if (parsed.host !== from.host) return url
  const secure = to.protocol === 'https:' || to.protocol === 'wss:'
  const kind = parsed.protocol.startsWith('ws') ? 'ws' : 'http'
  return `${kind}${secure ? 's' : ''}://${to.host}${parsed.pathname}${parsed.search}`
}
