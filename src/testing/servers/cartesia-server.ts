import type { DialRequest } from '../../scope/index.ts'
import type { CartesiaManners, CartesiaRudeness } from './cartesia-context.ts'
import { CartesiaSession } from './cartesia-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface CartesiaServerOptions extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before the first audio of a text. Default: 0. */
  thinks?: number
  /** Milliseconds between two chunks of 100 ms each. Default: 10. */
  every?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  /** Milliseconds after which an idle connection is closed. Default: 5 minutes. */
  idle?: number
  rude?: readonly CartesiaRudeness[]
}

/**
 * Cartesia's streaming text-to-speech (`/tts/websocket`), for a simulated network or, with a `LoopbackServer`, for real
 * sockets. A `TestLine` can read the text in its audio: see `soundOf`.
 *
 * ```ts
 * const cartesia = new CartesiaServer({ key: 'secret', rude: ['never done'] })
 * await using server = await LoopbackServer.listen({ serve: cartesia.serve })
 * const tts = new CartesiaTts({ url: server.url, apiKey: 'secret', voice: 'any' })
 * ```
 */
export class CartesiaServer extends VendorServer<CartesiaSession> {
  /** How it misbehaves from now on. */
  readonly rude: Set<CartesiaRudeness>
  readonly #key: string | undefined
  readonly #manners: CartesiaManners

  constructor(options: CartesiaServerOptions = {}) {
    const { key, thinks = 0, every = 10, msPerCharacter = 50, idle = 5 * 60_000, rude, ...others } = options
    super(others)
    this.#key = key
    this.rude = new Set(rude)
    this.#manners = { thinks, every, msPerCharacter, idle, rude: this.rude }
  }

  /** The key may be in a header or in the URL. */
  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/tts/websocket') return 404
    if (this.#key === undefined) return undefined
    const bearer = headers['authorization']?.replace(/^Bearer /, '')
    const keys = [bearer, headers['x-api-key'], searchParams.get('api_key')]
    return keys.includes(this.#key) ? undefined : 401
  }

  protected startSession(connection: ServerConnection): CartesiaSession {
    return new CartesiaSession(connection, this.#manners)
  }
}
