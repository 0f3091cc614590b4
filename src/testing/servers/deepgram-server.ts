import type { DialRequest } from '../../scope/index.ts'
import { DeepgramSession, type DeepgramRudeness } from './deepgram-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface DeepgramServerOptions extends VendorServerOptions {
  /** The key that every connection must bring; any unless set. */
  key?: string
  /** Milliseconds it takes to understand something: 0 unless set. */
  thinks?: number
  rude?: readonly DeepgramRudeness[]
}

/**
 * Deepgram's streaming speech-to-text (`/v1/listen`), on a simulated network or, by a `LoopbackServer`, on real
 * sockets. It understands the words in the sound of a `TestLine` caller, or whatever `hear` tells it to.
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
  /** Words that wait for sound to be heard in. */
  readonly #heard: string[] = []

  constructor({ key, thinks = 0, rude = [], ...options }: DeepgramServerOptions = {}) {
    super(options)
    this.#key = key
    this.#thinks = thinks
    this.rude = new Set(rude)
  }

  /** The next audio that comes, on whichever connection, is understood as these words. */
  hear(text: string): void {
    this.#heard.push(text)
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/v1/listen') return 404
    if (this.#key !== undefined && headers['authorization'] !== `Token ${this.#key}`) return 401
    const readable =
      searchParams.get('encoding') === 'linear16' && Number(searchParams.get('sample_rate')) > 0
    return readable && searchParams.get('model') ? undefined : 400
  }

  protected greet(connection: ServerConnection): DeepgramSession {
    return new DeepgramSession(connection, {
      number: this.sessions.length + 1,
      thinks: this.#thinks,
      rude: this.rude,
      heard: () => this.#heard.shift() ?? '',
    })
  }
}
