import type { DialRequest } from '../../scope/index.ts'
import type { CartesiaManners } from './cartesia-context.ts'
import { CartesiaSession } from './cartesia-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VoiceServer, type VoiceServerOptions } from './voice-server.ts'

export interface CartesiaServerOptions extends VoiceServerOptions {
  /** Milliseconds after which an idle connection is closed. Default: 5 minutes. */
  idle?: number
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
export class CartesiaServer extends VoiceServer<CartesiaSession> {
  readonly #manners: CartesiaManners

  constructor({ idle = 5 * 60_000, ...options }: CartesiaServerOptions = {}) {
    super(options)
    this.#manners = { ...this.voice, idle }
  }

  /** The key may be in a header or in the URL. */
  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/tts/websocket') return 404
    const bearer = headers['authorization']?.replace(/^Bearer /, '')
    return this.isAllowed(bearer, headers['x-api-key'], searchParams.get('api_key')) ? undefined : 401
  }

  protected startSession(connection: ServerConnection): CartesiaSession {
    return new CartesiaSession(connection, this.#manners)
  }
}
