import type { DialRequest } from '../../scope/index.ts'
import type { CartesiaManners, CartesiaRudeness } from './cartesia-manners.ts'
import { CartesiaSession } from './cartesia-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface CartesiaServerOptions extends VendorServerOptions {
  /** The key that every connection must bring; any unless set. */
  key?: string
  /** Milliseconds until a text begins to be spoken: 0 unless set. */
  thinks?: number
  /** Milliseconds between two chunks, each of which sounds for 100: 10 unless set. */
  every?: number
  /** How long a character sounds: 50 ms unless set. */
  msPerCharacter?: number
  /** A connection on which nothing happens is closed after so long: 5 minutes unless set. */
  idle?: number
  rude?: readonly CartesiaRudeness[]
}

/**
 * Cartesia's streaming text-to-speech (`/tts/websocket`), on a simulated network or, by a `LoopbackServer`, on real
 * sockets. It speaks so that a `TestLine` can tell which characters were heard: see `soundOf`.
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

  /** The key comes by a header, or in the address. */
  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/tts/websocket') return 404
    if (this.#key === undefined) return undefined
    const bearer = headers['authorization']?.replace(/^Bearer /, '')
    const given = [bearer, headers['x-api-key'], searchParams.get('api_key')]
    return given.includes(this.#key) ? undefined : 401
  }

  protected greet(connection: ServerConnection): CartesiaSession {
    return new CartesiaSession(connection, this.#manners)
  }
}
