import type { DialRequest } from '../../scope/index.ts'
import { Script, type Answers, type LlmAnswer } from '../script.ts'
import { Ids } from './ids.ts'
import { ApiError } from './openai-error.ts'
import { wordsOf, type OpenAIItem } from './openai-items.ts'
import { OpenAIRealtimeSession, type OpenAISessionOptions } from './openai-realtime-session.ts'
import type { OpenAITurn } from './openai-turn.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface OpenAIRealtimeServerOptions extends VendorServerOptions, OpenAISessionOptions {
  /** The key that a client must bring; any unless set. */
  apiKey?: string
  /** What it answers, in order, or a function of what it was asked. Text is spoken. */
  answers?: Answers<OpenAITurn>
}

/**
 * OpenAI's Realtime API (GA), for tests: `wss://…/v1/realtime?model=…`, or `?intent=transcription`. It hears the words of
 * `soundOf`, answers by script in the same voice, and keeps its conversation as the vendor does. Like the vendor's, it
 * never answers a close frame unless `ignoresClose` is false.
 *
 * ```ts
 * const server = new OpenAIRealtimeServer({ clock, answers: ['Good morning.'] })
 * network.serve = server.serve
 * ```
 */
export class OpenAIRealtimeServer extends VendorServer<OpenAIRealtimeSession> {
  /** Transcriptions fail from here on. */
  transcriptionFails = false
  readonly #options: OpenAIRealtimeServerOptions
  readonly #script: Script<OpenAITurn>
  readonly #ids = new Ids()

  constructor(options: OpenAIRealtimeServerOptions = {}) {
    super({ ignoresClose: true, ...options })
    this.#options = options
    this.#script = new Script('openai', options.answers)
  }

  /** Adds to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** The items of the newest session, as the server remembers them. */
  get conversation(): readonly OpenAIItem[] {
    return this.sessions.at(-1)?.conversation.items ?? []
  }

  /** The same in words, one line an item: `user: hello`. */
  get transcript(): string[] {
    return this.conversation.map(
      (item) => `${item.type === 'message' ? item.role : item.type}: ${wordsOf(item)}`,
    )
  }

  /** The user says this and stops, in the open sessions: as if the sound of it had come. */
  hear(text: string): void {
    for (const session of this.open) session.hear(text)
  }

  /** The open sessions reach their time limit now. */
  expire(): void {
    for (const session of this.open) session.expire()
  }

  /** The open sessions are sent an `error` event, which ends nothing. */
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
    return searchParams.has('model') || searchParams.get('intent') === 'transcription' ? undefined : 400
  }

  protected greet(connection: ServerConnection): OpenAIRealtimeSession {
    return new OpenAIRealtimeSession(this, connection, this.#options, this.#script, this.#ids)
  }
}
