import { sampleRates } from '../../audio/index.ts'
import type { DialRequest } from '../../scope/index.ts'
import { ElevenLabsScribeSession } from './elevenlabs-scribe-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { TurnServer } from './turn-server.ts'
import type { TurnSessionOptions } from './turn-session.ts'

/**
 * ElevenLabs' Scribe speech-to-text (`/v1/speech-to-text/realtime`), for a simulated network or, with a `LoopbackServer`,
 * for real sockets. It recognises the words in the audio of a `TestLine` caller, or those given to `hear`, and commits a
 * turn after 400 ms of silence, or when it is asked to.
 *
 * ```ts
 * const scribe = new ElevenLabsScribeServer({ key: 'secret' })
 * await using server = await LoopbackServer.listen({ serve: scribe.serve })
 * const stt = new ElevenLabsStt({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class ElevenLabsScribeServer extends TurnServer<ElevenLabsScribeSession> {
  protected readonly path = '/v1/speech-to-text/realtime'
  protected readonly encodings = [...sampleRates.map((rate) => `pcm_${rate}`), 'ulaw_8000']

  protected keysOf({ url, headers = {} }: DialRequest): (string | null | undefined)[] {
    return [headers['xi-api-key'], new URL(url).searchParams.get('token')]
  }

  protected override decodes(query: URLSearchParams): boolean {
    return this.encodings.includes(query.get('audio_format') ?? '')
  }

  /** At most 50 key terms of 20 characters each, and only turns that the server itself ends. */
  protected accepts(query: URLSearchParams): boolean {
    const terms = query.getAll('keyterms')
    const fits = terms.length <= 50 && terms.every(({ length }) => length <= 20)
    return fits && query.has('model_id') && query.get('commit_strategy') === 'vad'
  }

  protected makeSession(connection: ServerConnection, options: TurnSessionOptions): ElevenLabsScribeSession {
    return new ElevenLabsScribeSession(connection, options)
  }
}
