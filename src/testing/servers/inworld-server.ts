import type { DialRequest } from '../../scope/index.ts'
import { InworldSession } from './inworld-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VoiceServer } from './voice-server.ts'

/**
 * Inworld's streaming text-to-speech (`/tts/v1/voice:streamBidirectional`), for a simulated network or, with a
 * `LoopbackServer`, for real sockets. It allows five open contexts per connection, and refuses a sixth. A `TestLine` can
 * read the text in its audio: see `soundOf`.
 *
 * ```ts
 * const inworld = new InworldServer({ key: 'secret', rude: ['never done'] })
 * await using server = await LoopbackServer.listen({ serve: inworld.serve })
 * const tts = new InworldTts({ url: server.url, apiKey: 'secret', voice: 'any' })
 * ```
 */
export class InworldServer extends VoiceServer<InworldSession> {
  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/tts/v1/voice:streamBidirectional') return 404
    const keys = [headers['authorization'], searchParams.get('authorization')]
    return this.isAllowed(...keys.map((each) => each?.replace(/^Basic /, ''))) ? undefined : 401
  }

  protected startSession(connection: ServerConnection): InworldSession {
    return new InworldSession(connection, this.voice)
  }
}
