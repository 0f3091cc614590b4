import type { DialRequest } from '../../scope/index.ts'
import {
  DeepgramSpeakSession,
  type DeepgramSpeakManners,
  type DeepgramSpeakRudeness,
} from './deepgram-speak-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface DeepgramSpeakServerOptions extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before the first audio of a text. Default: 0. */
  thinks?: number
  /** Milliseconds between two chunks of 100 ms each. Default: 10. */
  every?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  rude?: readonly DeepgramSpeakRudeness[]
}

const encodings = new Set(['linear16', 'mulaw', 'alaw'])

/**
 * Deepgram's streaming text-to-speech, Aura (`/v1/speak`) and Flux (`/v2/speak`), for a simulated network or, with a
 * `LoopbackServer`, for real sockets. A `TestLine` can read the text in its audio: see `soundOf`.
 *
 * ```ts
 * const deepgram = new DeepgramSpeakServer({ key: 'secret', rude: ['never flushed'] })
 * await using server = await LoopbackServer.listen({ serve: deepgram.serve })
 * const tts = new DeepgramTts({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class DeepgramSpeakServer extends VendorServer<DeepgramSpeakSession> {
  /** How it misbehaves from now on. */
  readonly rude: Set<DeepgramSpeakRudeness>
  readonly #key: string | undefined
  readonly #manners: DeepgramSpeakManners

  constructor(options: DeepgramSpeakServerOptions = {}) {
    const { key, thinks = 0, every = 10, msPerCharacter = 50, rude, ...others } = options
    super(others)
    this.#key = key
    this.rude = new Set(rude)
    this.#manners = { thinks, every, msPerCharacter, rude: this.rude }
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    const family = { '/v1/speak': 'aura', '/v2/speak': 'flux' }[pathname]
    if (family === undefined) return 404
    if (this.#key !== undefined && headers['authorization'] !== `Token ${this.#key}`) return 401
    const decodable =
      encodings.has(searchParams.get('encoding') ?? '') && Number(searchParams.get('sample_rate')) > 0
    return decodable && searchParams.get('model')?.startsWith(family) === true ? undefined : 400
  }

  protected startSession(connection: ServerConnection): DeepgramSpeakSession {
    return new DeepgramSpeakSession(connection, this.#manners)
  }
}
