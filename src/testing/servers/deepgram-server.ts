import type { DialRequest } from '../../scope/index.ts'
import { DeepgramSession, type DeepgramRudeness } from './deepgram-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface DeepgramServerOptions extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before each result. Default: 0. */
  thinks?: number
  rude?: readonly DeepgramRudeness[]
  /** The language that it detects, as with `language=multi`. Default: it detects none. */
  language?: string
  /** The number of the speaker, as with `diarize`. Default: it tells no speakers apart. */
  speaker?: number
}

/**
 * Deepgram's streaming speech-to-text (`/v1/listen`), for a simulated network or, with a `LoopbackServer`, for real
 * sockets. It recognises the words in the audio of a `TestLine` caller, or those given to `hear`.
 *
 * ```ts
 * const deepgram = new DeepgramServer({ key: 'secret' })
 * await using server = await LoopbackServer.listen({ serve: deepgram.serve })
 * const stt = new DeepgramStt({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class DeepgramServer extends VendorServer<DeepgramSession> {
  /** How it misbehaves from now on. */
  readonly rude: Set<DeepgramRudeness>
  readonly #key: string | undefined
  readonly #thinks: number
  readonly #details: Pick<DeepgramServerOptions, 'language' | 'speaker'>
  /** Texts that the next audio will be recognised as. */
  readonly #heard: string[] = []

  constructor({ key, thinks = 0, rude = [], language, speaker, ...options }: DeepgramServerOptions = {}) {
    super(options)
    this.#details = {
      ...(language === undefined ? {} : { language }),
      ...(speaker === undefined ? {} : { speaker }),
    }
    this.#key = key
    this.#thinks = thinks
    this.rude = new Set(rude)
  }

  /** Recognises the next audio, on any connection, as this text. */
  hear(text: string): void {
    this.#heard.push(text)
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/v1/listen') return 404
    if (this.#key !== undefined && headers['authorization'] !== `Token ${this.#key}`) return 401
    const decodable =
      /^(linear16|mulaw|alaw)$/.test(searchParams.get('encoding') ?? '') &&
      Number(searchParams.get('sample_rate')) > 0
    return decodable && searchParams.get('model') ? undefined : 400
  }

  protected startSession(connection: ServerConnection): DeepgramSession {
    return new DeepgramSession(connection, {
      number: this.sessions.length + 1,
      thinks: this.#thinks,
      rude: this.rude,
      ...this.#details,
      heard: () => this.#heard.shift() ?? '',
    })
  }
}
