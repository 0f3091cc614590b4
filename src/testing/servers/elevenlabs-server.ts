import { sampleRates } from '../../audio/index.ts'
import type { DialRequest } from '../../scope/index.ts'
import type { ElevenLabsManners, ElevenLabsRudeness } from './elevenlabs-context.ts'
import { ElevenLabsSession } from './elevenlabs-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

/** The formats of the audio that it makes. */
const formats = new Set([...sampleRates.map((rate) => `pcm_${rate}`), 'ulaw_8000'])

export interface ElevenLabsServerOptions extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before the first audio of a text. Default: 0. */
  thinks?: number
  /** Milliseconds between two chunks of 100 ms each. Default: 10. */
  every?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  /** Whether the times of characters count from the start of their chunk or of the context. Default: `chunk`. */
  times?: 'chunk' | 'context'
  rude?: readonly ElevenLabsRudeness[]
}

/**
 * ElevenLabs' streaming text-to-speech with contexts (`/v1/text-to-speech/{voice}/multi-stream-input`), for a simulated
 * network or, with a `LoopbackServer`, for real sockets. It allows five open contexts, and closes the connection when a
 * sixth is opened. A `TestLine` can read the text in its audio: see `soundOf`.
 *
 * ```ts
 * const elevenLabs = new ElevenLabsServer({ key: 'secret', rude: ['never final'] })
 * await using server = await LoopbackServer.listen({ serve: elevenLabs.serve })
 * const tts = new ElevenLabsTts({ url: server.url, apiKey: 'secret', voice: 'any' })
 * ```
 */
export class ElevenLabsServer extends VendorServer<ElevenLabsSession> {
  /** How it misbehaves from now on. */
  readonly rude: Set<ElevenLabsRudeness>
  readonly #key: string | undefined
  readonly #manners: ElevenLabsManners

  constructor(options: ElevenLabsServerOptions = {}) {
    const { key, thinks = 0, every = 10, msPerCharacter = 50, times = 'chunk', rude, ...others } = options
    super(others)
    this.#key = key
    this.rude = new Set(rude)
    this.#manners = { thinks, every, msPerCharacter, times, rude: this.rude }
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (!/^\/v1\/text-to-speech\/[^/]+\/multi-stream-input$/.test(pathname)) return 404
    if (this.#key !== undefined && headers['xi-api-key'] !== this.#key) return 401
    return formats.has(searchParams.get('output_format') ?? '') ? undefined : 400
  }

  protected startSession(connection: ServerConnection): ElevenLabsSession {
    return new ElevenLabsSession(connection, this.#manners)
  }
}
