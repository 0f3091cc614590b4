import type { DialRequest } from '../../scope/index.ts'
import { DeepgramFluxSession } from './deepgram-flux-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { TurnServer, type TurnServerOptions } from './turn-server.ts'
import type { TurnSessionOptions } from './turn-session.ts'

export interface DeepgramFluxServerOptions extends TurnServerOptions {
  /** Whether `ForceEndTurn` is enabled; most deployments close the connection for it. Default: false. */
  forceEndTurn?: boolean
}

/** Parameters of version 1, which Flux refuses. */
const foreign = [
  'interim_results',
  'endpointing',
  'utterance_end_ms',
  'smart_format',
  'vad_events',
  'language',
]

/**
 * Deepgram's Flux speech-to-text (`/v2/listen`), for a simulated network or, with a `LoopbackServer`, for real sockets. It
 * recognises the words in the audio of a `TestLine` caller, or those given to `hear`, and ends a turn after 400 ms of
 * silence.
 *
 * ```ts
 * const flux = new DeepgramFluxServer({ key: 'secret' })
 * await using server = await LoopbackServer.listen({ serve: flux.serve })
 * const stt = new DeepgramFluxStt({ url: server.url, apiKey: 'secret' })
 * ```
 */
export class DeepgramFluxServer extends TurnServer<DeepgramFluxSession> {
  protected readonly path = '/v2/listen'
  protected readonly encodings = ['linear16', 'mulaw', 'alaw']
  readonly #forceEndTurn: boolean

  constructor({ forceEndTurn = false, ...options }: DeepgramFluxServerOptions = {}) {
    super(options)
    this.#forceEndTurn = forceEndTurn
  }

  protected keysOf({ headers = {} }: DialRequest): (string | undefined)[] {
    return [headers['authorization']?.replace(/^Token /, '')]
  }

  protected accepts(query: URLSearchParams): boolean {
    return query.get('model')?.startsWith('flux-') === true && !foreign.some((name) => query.has(name))
  }

  protected makeSession(connection: ServerConnection, options: TurnSessionOptions): DeepgramFluxSession {
    return new DeepgramFluxSession(connection, options, this.#forceEndTurn)
  }
}
