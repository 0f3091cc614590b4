import type { DialRequest } from '../../scope/index.ts'
import { Script, type Answers, type LlmAnswer } from '../script.ts'
import { Ids } from './ids.ts'
import { ApiError } from './openai-error.ts'
import { textOf, type OpenAIItem } from './openai-items.ts'
import { OpenAIRealtimeSession, type OpenAISessionOptions } from './openai-realtime-session.ts'
import type { OpenAITurn } from './openai-turn.ts'
import { openAIWire, type OpenAIWire } from './openai-wire.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface OpenAIRealtimeServerOptions extends VendorServerOptions, OpenAISessionOptions {
  /** The key that every client must have. Default: any. */
  apiKey?: string
  /** The answers in order, or a function of the turn. Text is spoken. */
  answers?: Answers<OpenAITurn>
}

/**
 * OpenAI's Realtime API (GA), for tests: `wss://…/v1/realtime?model=…`, or `?intent=transcription`. It recognises and
 * speaks the audio of `soundOf`, answers from a script, and handles its conversation as the vendor does. Like the
 * vendor's server, it never answers a close frame unless `ignoresClose` is false. With `api-version` in the address it
 * behaves as the preview on Azure, which opens, and then refuses the settings of the GA protocol.
 *
 * ```ts
 * const server = new OpenAIRealtimeServer({ clock, answers: ['Good morning.'] })
 * network.serve = server.serve
 * ```
 */
export class OpenAIRealtimeServer extends VendorServer<OpenAIRealtimeSession> {
  /** Whether transcriptions fail from now on. */
  transcriptionFails = false
  readonly #options: OpenAIRealtimeServerOptions
  readonly #script: Script<OpenAITurn>
  readonly #ids = new Ids()

  constructor(options: OpenAIRealtimeServerOptions = {}) {
    super({ ignoresClose: true, ...options })
    this.#options = options
    this.#script = new Script('openai', options.answers)
  }

  /** Adds answers to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** The items of the newest session. */
  get conversation(): readonly OpenAIItem[] {
    return this.sessions.at(-1)?.conversation.items ?? []
  }

  /** The items of the newest session, one line each: `user: hello`. */
  get transcript(): string[] {
    return this.conversation.map(
      (item) => `${item.type === 'message' ? item.role : item.type}: ${textOf(item)}`,
    )
  }

  /** Makes the open sessions hear this text, followed by silence, as if its audio had arrived. */
  hear(text: string): void {
    for (const session of this.open) session.hear(text)
  }

  /** Makes the open sessions reach their time limit now. */
  expire(): void {
    for (const session of this.open) session.expire()
  }

  /** Sends an `error` event to the open sessions, which stay open. */
  fail(code = 'server_error', message = 'The server had an error while processing your request.'): void {
    for (const session of this.open) session.fail(new ApiError(code, message, null, 'server_error'))
  }

  protected refusalOf({ url, headers = {}, protocols = [] }: DialRequest): number | undefined {
    const { pathname, searchParams } = new URL(url)
    const bearer = headers['authorization']?.match(/^Bearer (.+)$/)?.[1]
    const browser = protocols.find((each) => each.startsWith('openai-insecure-api-key.'))
    const key = bearer ?? headers['api-key'] ?? browser?.replace('openai-insecure-api-key.', '')
    if (!key || (this.#options.apiKey ?? key) !== key) return 401
    if (!pathname.endsWith('/realtime')) return 404
    if (searchParams.has('api-version')) return searchParams.has('deployment') ? undefined : 400
    return searchParams.has('model') || searchParams.get('intent') === 'transcription' ? undefined : 400
  }

  protected startSession(connection: ServerConnection): OpenAIRealtimeSession {
    return new OpenAIRealtimeSession(this, connection, this.#options, this.#script, this.#ids, this.wire())
  }

  /** How events look on a new connection. */
  protected wire(): OpenAIWire {
    return openAIWire
  }
}
