import { generateKeyPairSync } from 'node:crypto'
import { systemClock, systemRandom, type Clock, type Random } from '../../scope/index.ts'
import { Changes } from './changes.ts'
import { LoopbackServer } from './loopback-server.ts'
import type { CallContext } from './twilio-call-context.ts'
import type { TwilioCall, TwilioCallOptions } from './twilio-call.ts'
import { TwilioExchange } from './twilio-exchange.ts'
import type { CallbackManners } from './twilio-callbacks.ts'
import type { CarrierDialect } from './twilio-frames.ts'
import type { TwilioPerson, TwilioPersonOptions } from './twilio-person.ts'
import { postAsCarrier, type CarrierPost, type FormAnswer } from './twilio-post.ts'
import type { RecordingStatus } from './twilio-recording.ts'
import { RestTransport } from './twilio-rest-transport.ts'
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
  /** Where the application of `publicUrl` is really reached, for calls that it makes over REST. */
  readonly localUrl?: string
  /** The numbers that the application may call from. Default: all. */
  readonly numbers?: readonly string[]
  /** Milliseconds between two calls that are made over REST; Twilio starts one per second. Default: 0. */
  readonly pace?: number
  /** How callbacks are treated. `carrier.callbacks` can be changed later. Default: one of each, at once. */
  readonly callbacks?: CallbackManners
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
  readonly rest: TwilioRest
  /** How the next callbacks are treated. */
  callbacks: CallbackManners
  readonly #options: TwilioCarrierOptions
  readonly #changes = new Changes()
  readonly #random: Random
  readonly #clock: Clock
  readonly #exchange: TwilioExchange
  readonly #transport: RestTransport
  readonly #key = generateKeyPairSync('ed25519')
  #server: LoopbackServer | undefined

  /** Does not listen: the REST API can only be used through `fetch` or `rest.answer`. */
  constructor(options: TwilioCarrierOptions = {}) {
    this.#options = options
    this.callbacks = options.callbacks ?? {}
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.authToken = options.authToken ?? this.#newId('')
    this.accountSid = options.accountSid ?? this.#newId('AC')
    this.#exchange = new TwilioExchange({
      contextFor: (url) => this.#callContext(url),
      now: () => this.#clock.now(),
      numbers: options.numbers,
      pace: options.pace ?? 0,
      failed: (error) => this.#failed(error),
    })
    this.rest = new TwilioRest({
      account: this.accountSid,
      authToken: this.authToken,
      exchange: this.#exchange,
    })
    this.#transport = new RestTransport(this.rest, this.#clock, () => this.#changes.notify())
  }

  /** Creates a carrier whose REST API listens on a free port. */
  static async listen(options: TwilioCarrierOptions = {}): Promise<TwilioCarrier> {
    const carrier = new TwilioCarrier(options)
    carrier.#server = await LoopbackServer.listen({
      http: (request, response) => carrier.#transport.http(request, response),
    })
    return carrier
  }

  /** The URL of the REST API, `http://127.0.0.1:port`. Empty if it does not listen. */
  get url(): string {
    return this.#server?.url.replace(/^ws/, 'http') ?? ''
  }

  /** Reaches the REST API without a network, whatever the host in the URL, and in the carrier's own time. */
  get fetch(): typeof fetch {
    return this.#transport.fetch
  }

  /** The public key that Telnyx shows in its portal, which verifies the signatures of webhooks. */
  get publicKey(): string {
    return this.#key.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  }

  /** The number of open connections, to and from applications. */
  get open(): number {
    return this.#exchange.open + (this.#server?.open ?? 0)
  }

  /** All calls, the oldest first: those that were placed here, and those that the application made. */
  get calls(): readonly TwilioCall[] {
    return this.#exchange.calls
  }

  /** The calls that have not ended. */
  get live(): readonly TwilioCall[] {
    return this.calls.filter(({ over }) => !over)
  }

  /** The recordings of a call that the application has asked for, the oldest first. */
  recordings({ sid }: TwilioCall): readonly { readonly sid: string; readonly status: RecordingStatus }[] {
    const leg = this.#exchange.find(sid)
    return leg ? this.#exchange.recordings(leg).map(({ sid: id, status }) => ({ sid: id, status })) : []
  }

  /** Places a call. It rings at once. */
  call(webhook: string, options: TwilioCallOptions = {}): TwilioCall {
    return this.#exchange.place(webhook, options)
  }

  /**
   * Adds somebody whom the application can call. Calls to a number that nobody has fail.
   *
   * ```ts
   * const person = carrier.person('+493012345', { answersAfter: 2_000 })
   * await carrier.until(() => person.calls[0]?.state === 'in-progress')
   * await person.calls[0].says(hello)
   * ```
   */
  person(number: string, options: TwilioPersonOptions = {}): TwilioPerson {
    return this.#exchange.person(number, options)
  }

  /** Posts a signed form of the test's own, such as a callback for a call that nobody knows. */
  notify(url: string, form: Readonly<Record<string, string>>): Promise<FormAnswer> {
    return this.#exchange.notify(url, { AccountSid: this.accountSid, ...form })
  }

  /** Removes a call that has ended, so that a long test does not keep all its sound. */
  forget(call: TwilioCall): void {
    this.#exchange.forget(call)
  }

  /** Resolves when the condition is true. It is checked after each event and each frame of any call. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
  }

  /** Aborts all calls and stops listening. */
  abort(): void {
    this.#exchange.abort()
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

  #callContext(webhook = this.#options.localUrl): CallContext {
    const {
      dialect = 'twilio',
      speed = 1,
      dial = dialAsCarrier,
      post = postAsCarrier,
      publicUrl,
    } = this.#options
    const origins =
      publicUrl === undefined || webhook === undefined
        ? undefined
        : { public: new URL(publicUrl), local: new URL(webhook) }
    return {
      clock: this.#clock,
      random: this.#random,
      manners: () => this.callbacks,
      dial,
      post,
      dialect,
      speed,
      account: this.accountSid,
      sign: dialect === 'twilio' ? signAsTwilio(this.authToken) : signAsTelnyx(this.#key, this.#clock),
      toLocal: (url) => (origins ? moveOrigin(url, origins.public, origins.local) : url),
      toPublic: (url) => (origins ? moveOrigin(url, origins.local, origins.public) : url),
      newId: (prefix) => this.#newId(prefix),
      changed: () => this.#changes.notify(),
    }
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
  if (!URL.canParse(url)) return url
  const parsed = new URL(url)
  if (parsed.host !== from.host) return url
  const secure = to.protocol === 'https:' || to.protocol === 'wss:'
  const kind = parsed.protocol.startsWith('ws') ? 'ws' : 'http'
  return `${kind}${secure ? 's' : ''}://${to.host}${parsed.pathname}${parsed.search}`
}
