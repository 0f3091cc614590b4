import type { DialRequest } from '../../scope/index.ts'
import { CartesiaInkSession } from './cartesia-ink-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { TurnServer } from './turn-server.ts'
import type { TurnSessionOptions } from './turn-session.ts'

/**
 * Cartesia's Ink 2 speech-to-text (`/stt/turns/websocket`), for a simulated network or, with a `LoopbackServer`, for real
 * sockets. It recognises the words in the audio of a `TestLine` caller, or those given to `hear`, and ends a turn after
 * 400 ms of silence.
 *
 * ```ts
 * const ink = new CartesiaInkServer({ key: 'secret' })
 * await using server = await LoopbackServer.listen({ serve: ink.serve })
 * const stt = new CartesiaStt({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class CartesiaInkServer extends TurnServer<CartesiaInkSession> {
  protected readonly path = '/stt/turns/websocket'
  protected readonly encodings = ['pcm_s16le', 'pcm_mulaw', 'pcm_alaw']

  protected keysOf({ url, headers = {} }: DialRequest): (string | null | undefined)[] {
    const bearer = headers['authorization']?.replace(/^Bearer /, '')
    return [headers['x-api-key'], bearer, new URL(url).searchParams.get('api_key')]
  }

  /** Ink 2 knows only English, and no parameter for it. */
  protected accepts(query: URLSearchParams): boolean {
    return query.get('model')?.startsWith('ink-2') === true && !query.has('language')
  }

  protected makeSession(connection: ServerConnection, options: TurnSessionOptions): CartesiaInkSession {
    return new CartesiaInkSession(connection, options)
  }
}
