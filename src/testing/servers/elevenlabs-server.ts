import { sampleRates } from '../../audio/index.ts'
import type { DialRequest } from '../../scope/index.ts'
import type { ElevenLabsManners, ElevenLabsRudeness } from './elevenlabs-context.ts'
import { ElevenLabsSession } from './elevenlabs-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VoiceServer, type VoiceServerOptions } from './voice-server.ts'

/** The formats of the audio that it makes. */
const formats = new Set([...sampleRates.map((rate) => `pcm_${rate}`), 'ulaw_8000'])

export interface ElevenLabsServerOptions extends VoiceServerOptions<ElevenLabsRudeness> {
  /** Whether the times of characters count from the start of their chunk or of the context. Default: `chunk`. */
  times?: 'chunk' | 'context'
}

/**
 * ElevenLabs' streaming text-to-speech with contexts (`/v1/text-to-speech/{voice}/multi-stream-input`), for a simulated
 * network or, with a `LoopbackServer`, for real sockets. It allows five open contexts, and closes the connection when a
 * sixth is opened. A `TestLine` can read the text in its audio: see `soundOf`.
 *
 * ```ts
 * const elevenLabs = new ElevenLabsServer({ key: 'secret', rude: ['never done'] })
 * await using server = await LoopbackServer.listen({ serve: elevenLabs.serve })
 * const tts = new ElevenLabsTts({ url: server.url, apiKey: 'secret', voice: 'any' })
 * ```
 */
export class ElevenLabsServer extends VoiceServer<ElevenLabsSession, ElevenLabsRudeness> {
  readonly #manners: ElevenLabsManners

  constructor({ times = 'chunk', ...options }: ElevenLabsServerOptions = {}) {
    super(options)
    this.#manners = { ...this.voice, times }
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (!/^\/v1\/text-to-speech\/[^/]+\/multi-stream-input$/.test(pathname)) return 404
    if (!this.isAllowed(headers['xi-api-key'])) return 401
    return formats.has(searchParams.get('output_format') ?? '') ? undefined : 400
  }

  protected startSession(connection: ServerConnection): ElevenLabsSession {
    return new ElevenLabsSession(connection, this.#manners)
  }
}
