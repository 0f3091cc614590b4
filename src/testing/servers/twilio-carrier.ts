import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock, systemRandom, type Clock, type Random } from '../../scope/index.ts'
import { inTheWorld } from '../world-time.ts'
import { Changes } from './changes.ts'
import { LoopbackServer } from './loopback-server.ts'
import { TwilioCall, type CallSurroundings, type TwilioCallOptions } from './twilio-call.ts'
import type { CarrierDialect } from './twilio-frames.ts'
import { postAsCarrier, type CarrierPost } from './twilio-post.ts'
import { TwilioRest } from './twilio-rest.ts'
import { asTelnyx, asTwilio } from './twilio-signature.ts'
import { dialAsCarrier, type CarrierDial } from './twilio-wire.ts'

export interface TwilioCarrierOptions {
  /** Signs what it sends, and lets applications into its REST API; random unless set. */
  readonly authToken?: string
  /** Random unless set. */
  readonly accountSid?: string
  /** Whose frames it speaks: Twilio's unless set. */
  readonly dialect?: CarrierDialect
  /** How many times faster than real time it sends and hears: 1 unless set. */
  readonly speed?: number
  /** The address that the application believes to have, if it is called at another: signatures are over this one. */
  readonly publicUrl?: string
  /** Where its time comes from: the system unless set. */
  readonly clock?: Clock
  readonly random?: Random
  /** How it opens streams: over real sockets unless set. */
  readonly dial?: CarrierDial
  /** How it asks webhooks: over HTTP unless set. */
  readonly post?: CarrierPost
}

/**
 * The other side of a phone line: a carrier that places calls as Twilio does, hears what is played to the caller, and
 * is as rude as it is told to be. It needs no account, and knows nothing of the code that answers.
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
  /** Every call there ever was, the oldest first. */
  readonly calls: TwilioCall[] = []
  /** What applications have asked over REST. */
  readonly rest: TwilioRest
  readonly #options: TwilioCarrierOptions
  readonly #changes = new Changes()
  readonly #random: Random
  readonly #clock: Clock
  readonly #key = generateKeyPairSync('ed25519')
  #server: LoopbackServer | undefined

  /** Without an address of its own: nobody can reach its REST API but by `rest.answer`. */
  constructor(options: TwilioCarrierOptions = {}) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.authToken = options.authToken ?? this.#newName('')
    this.accountSid = options.accountSid ?? this.#newName('AC')
    this.rest = new TwilioRest({
      account: this.accountSid,
      authToken: this.authToken,
      find: (sid) => this.calls.find((call) => call.sid === sid),
    })
  }

  /** With a REST API on a port that is free. */
  static async listen(options: TwilioCarrierOptions = {}): Promise<TwilioCarrier> {
    const carrier = new TwilioCarrier(options)
    carrier.#server = await LoopbackServer.listen({
      http: (request, response) => carrier.#http(request, response),
    })
    return carrier
  }

  /** Where the REST API is: `http://127.0.0.1:port`. Empty unless it listens. */
  get url(): string {
    return this.#server?.url.replace(/^ws/, 'http') ?? ''
  }

  /** What Telnyx shows in its portal: webhooks are signed with the other half of it. */
  get publicKey(): string {
    return this.#key.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  }

  /** Connections now, to applications and from them. */
  get open(): number {
    return this.calls.reduce((sum, call) => sum + call.open, this.#server?.open ?? 0)
  }

  /** Rings at once. What comes of it is told by the call. */
  call(webhook: string, options: TwilioCallOptions = {}): TwilioCall {
    const call = new TwilioCall(webhook, this.#surroundings(webhook), options)
    this.calls.push(call)
    // Only what `onEvent` throws can come out of it, and that is for whoever wrote it.
    queueMicrotask(() => {
      call.place().catch((error: unknown) => this.#failed(error))
    })
    return call
  }

  /** Resolves when `met` holds. It is looked at again whenever something happens in any call. */
  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** Cuts every call and listens no more. */
  abort(): void {
    for (const call of this.calls) call.abort()
    this.#server?.abort()
  }

  /** The same; resolves when nothing is left. */
  async close(): Promise<void> {
    this.abort()
    await Promise.all(this.calls.map((call) => call.gone()))
    await this.#server?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #surroundings(webhook: string): CallSurroundings {
    const {
      dialect = 'twilio',
      speed = 1,
      dial = dialAsCarrier,
      post = postAsCarrier,
      publicUrl,
    } = this.#options
    const there = publicUrl === undefined ? undefined : new URL(publicUrl)
    const here = new URL(webhook)
    return {
      clock: this.#clock,
      dial,
      post,
      dialect,
      speed,
      account: this.accountSid,
      sign: dialect === 'twilio' ? asTwilio(this.authToken) : asTelnyx(this.#key, this.#clock),
      reach: (url) => (there ? elsewhere(url, there, here) : url),
      known: (url) => (there ? elsewhere(url, here, there) : url),
      newName: (prefix) => this.#newName(prefix),
      changed: () => this.#changes.tell(),
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
        this.#changes.tell()
      }
      if (delay === 'never') return
      if (delay === 0) return answer()
      const timer = inTheWorld(this.#clock, delay, 'a slow REST API', answer)
      response.once('close', () => timer.clear())
    })
  }

  #newName(prefix: string): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.#random.next() * 16).toString(16))
    return prefix + digits.join('')
  }

  #failed(error: unknown): void {
    this.abort()
    throw error
  }
}

/** The same path under another origin. The kind of address, HTTP or WebSocket, is that of the new one. */
function elsewhere(url: string, from: URL, to: URL): string {
  const parsed = new URL(url)
  if (parsed.host !== from.host) return url
  const secure = to.protocol === 'https:' || to.protocol === 'wss:'
  const kind = parsed.protocol.startsWith('ws') ? 'ws' : 'http'
  return `${kind}${secure ? 's' : ''}://${to.host}${parsed.pathname}${parsed.search}`
}
