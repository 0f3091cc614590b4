import type { DialRequest } from '../../scope/index.ts'
import { AssemblyAISession } from './assemblyai-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { TurnServer } from './turn-server.ts'
import type { TurnSessionOptions } from './turn-session.ts'

/**
 * AssemblyAI's streaming speech-to-text (`/v3/ws`), for a simulated network or, with a `LoopbackServer`, for real sockets.
 * It recognises the words in the audio of a `TestLine` caller, or those given to `hear`, and ends a turn after 400 ms of
 * silence.
 *
 * ```ts
 * const assembly = new AssemblyAIServer({ key: 'secret' })
 * await using server = await LoopbackServer.listen({ serve: assembly.serve })
 * const stt = new AssemblyAIStt({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class AssemblyAIServer extends TurnServer<AssemblyAISession> {
  protected readonly path = '/v3/ws'
  protected readonly encodings = ['pcm_s16le', 'pcm_mulaw']

  protected keysOf({ url, headers = {} }: DialRequest): (string | null | undefined)[] {
    return [headers['authorization'], new URL(url).searchParams.get('token')]
  }

  /** There is no default model. */
  protected accepts(query: URLSearchParams): boolean {
    return query.has('speech_model')
  }

  protected makeSession(connection: ServerConnection, options: TurnSessionOptions): AssemblyAISession {
    return new AssemblyAISession(connection, options)
  }
}
