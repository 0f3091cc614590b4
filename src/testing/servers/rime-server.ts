import type { DialRequest } from '../../scope/index.ts'
import type { RimeRudeness } from './rime-context.ts'
import { RimeSession, type RimeManners } from './rime-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VoiceServer, type VoiceServerOptions } from './voice-server.ts'

export interface RimeServerOptions extends VoiceServerOptions<RimeRudeness> {
  /** Milliseconds without a request after which a connection is closed. Default: 5 minutes. */
  idle?: number
}

/**
 * Rime's streaming text-to-speech (`/ws`, with the subprotocol `rime.v1.json`), for a simulated network or, with a
 * `LoopbackServer`, for real sockets. It sends the times of words at the end of a context. A `TestLine` can read the text
 * in its audio: see `soundOf`.
 *
 * ```ts
 * const rime = new RimeServer({ key: 'secret', rude: ['never ready'] })
 * await using server = await LoopbackServer.listen({ serve: rime.serve })
 * const tts = new RimeTts({ url: server.url, apiKey: 'secret', voice: 'any' })
 * ```
 */
export class RimeServer extends VoiceServer<RimeSession, RimeRudeness> {
  readonly #manners: RimeManners

  constructor({ idle = 5 * 60_000, ...options }: RimeServerOptions = {}) {
    super(options)
    this.#manners = { ...this.voice, idle }
  }

  protected refusalOf({ url, headers = {}, protocols = [] }: DialRequest): number | undefined {
    if (new URL(url).pathname !== '/ws') return 404
    if (!this.isAllowed(headers['authorization']?.replace(/^Bearer /, ''))) return 401
    // The other encoding, `rime.v1.binary`, is not built here.
    return protocols.length === 0 || protocols[0] === 'rime.v1.json' ? undefined : 400
  }

  protected startSession(connection: ServerConnection): RimeSession {
    return new RimeSession(connection, this.#manners)
  }
}
