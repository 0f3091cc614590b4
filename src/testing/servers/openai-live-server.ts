import type { DialRequest } from '../../scope/index.ts'
import { Script, type Answers, type LlmAnswer } from '../script.ts'
import type { OpenAILiveClosedReason } from './openai-live-events.ts'
import {
  OpenAILiveSession,
  type OpenAILiveSessionOptions,
  type OpenAILiveTurn,
} from './openai-live-session.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface OpenAILiveServerOptions extends VendorServerOptions, OpenAILiveSessionOptions {
  /** The key that every client must have. Default: any. */
  apiKey?: string
  /** The answers in order, or a function of the turn. Text is spoken. */
  answers?: Answers<OpenAILiveTurn>
}

/**
 * OpenAI's GPT-Live API, for tests: `wss://…/v1/live/sessions`. It recognises and speaks the audio of `soundOf`, answers
 * from a script when the user or commentary gives a reason to, delegates tool calls, and confirms `session.close`.
 *
 * ```ts
 * const server = new OpenAILiveServer({ clock, answers: ['Good morning.'] })
 * network.serve = server.serve
 * ```
 */
export class OpenAILiveServer extends VendorServer<OpenAILiveSession> {
  readonly #options: OpenAILiveServerOptions
  readonly #script: Script<OpenAILiveTurn>

  constructor(options: OpenAILiveServerOptions = {}) {
    super(options)
    this.#options = options
    this.#script = new Script('openai', options.answers)
  }

  /** Adds answers to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** Makes the open sessions hear this text, followed by silence, as if its audio had arrived. */
  hear(text: string): void {
    for (const session of this.open) session.hear(text)
  }

  /** Ends the open sessions. */
  end(reason: OpenAILiveClosedReason): void {
    for (const session of this.open) session.end(reason)
  }

  protected refusalOf({ url, headers = {} }: DialRequest): number | undefined {
    const key = headers['authorization']?.match(/^Bearer (.+)$/)?.[1]
    if (!key || (this.#options.apiKey ?? key) !== key) return 401
    return new URL(url).pathname.endsWith('/live/sessions') ? undefined : 404
  }

  protected startSession(connection: ServerConnection): OpenAILiveSession {
    return new OpenAILiveSession(connection, this.#options, this.#script)
  }
}
