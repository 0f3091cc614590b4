import type { DialRequest } from '../../scope/index.ts'
import type { ServerConnection } from './server-connection.ts'
import type { TurnRudeness, TurnSession, TurnSessionOptions } from './turn-session.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface TurnServerOptions extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before each message. Default: 0. */
  thinks?: number
  rude?: readonly TurnRudeness[]
}

/** A streaming speech-to-text that decides itself when the caller has finished. */
export abstract class TurnServer<Session extends TurnSession> extends VendorServer<Session> {
  /** How it misbehaves from now on. */
  readonly rude: Set<TurnRudeness>
  readonly #key: string | undefined
  readonly #thinks: number
  /** Texts that the next speech will be recognised as. */
  readonly #heard: string[] = []

  constructor({ key, thinks = 0, rude = [], ...options }: TurnServerOptions = {}) {
    super(options)
    this.#key = key
    this.#thinks = thinks
    this.rude = new Set(rude)
  }

  /** Recognises the next speech, on any connection, as this text. */
  hear(text: string): void {
    this.#heard.push(text)
  }

  protected refusalOf(request: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== this.path) return 404
    if (this.#key !== undefined && !this.keysOf(request).includes(this.#key)) return 401
    return this.decodes(searchParams) && this.accepts(searchParams) ? undefined : 400
  }

  /** Whether the vendor knows the format of the client's audio. */
  protected decodes(query: URLSearchParams): boolean {
    return this.encodings.includes(query.get('encoding') ?? '') && Number(query.get('sample_rate')) > 0
  }

  protected startSession(connection: ServerConnection): Session {
    return this.makeSession(connection, {
      number: this.sessions.length + 1,
      thinks: this.#thinks,
      rude: this.rude,
      heard: () => (this.rude.has('deaf') ? '' : (this.#heard.shift() ?? '')),
    })
  }

  protected abstract readonly path: string
  /** PCM16, mu-law and A-law, as far as the vendor has them. */
  protected abstract readonly encodings: readonly string[]
  /** The keys that a request may have. */
  protected abstract keysOf(request: DialRequest): readonly (string | null | undefined)[]
  /** Whether the vendor knows these parameters. */
  protected abstract accepts(query: URLSearchParams): boolean
  protected abstract makeSession(connection: ServerConnection, options: TurnSessionOptions): Session
}
