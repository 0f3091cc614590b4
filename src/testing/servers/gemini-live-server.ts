import type { DialRequest } from '../../scope/index.ts'
import { Script, type Answers, type LlmAnswer } from '../script.ts'
import { GeminiHandles } from './gemini-handles.ts'
import { GeminiLiveSession, type GeminiSessionOptions, type GeminiTurn } from './gemini-live-session.ts'
import type { GeminiContent } from './gemini-messages.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface GeminiLiveServerOptions extends VendorServerOptions, GeminiSessionOptions {
  /** The key that every client must have. Default: any. */
  apiKey?: string
  /** The answers in order, or a function of the turn. Text is spoken. */
  answers?: Answers<GeminiTurn>
}

const PATH =
  /^\/+ws\/(google\.ai\.generativelanguage\.v1(alpha|beta)\.GenerativeService\.BidiGenerateContent(Constrained)?|google\.cloud\.aiplatform\.v1beta1\.LlmBidiService\/BidiGenerateContent)$/

/**
 * Google's Gemini Live API, for tests. It recognises and speaks the audio of `soundOf`, answers from a script, issues
 * resumption handles, and sends `goAway` before it ends a connection.
 *
 * ```ts
 * const server = new GeminiLiveServer({ clock, answers: ['Good morning.'] })
 * network.serve = server.serve
 * ```
 */
export class GeminiLiveServer extends VendorServer<GeminiLiveSession> {
  /** Whether it never completes a setup from now on. */
  ignoresSetup = false
  readonly #options: GeminiLiveServerOptions
  readonly #script: Script<GeminiTurn>
  readonly #handles = new GeminiHandles()

  constructor(options: GeminiLiveServerOptions = {}) {
    super(options)
    this.#options = options
    this.#script = new Script('gemini', options.answers)
  }

  /** Adds answers to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** The conversation of the newest session. */
  get contents(): readonly GeminiContent[] {
    return this.sessions.at(-1)?.contents ?? []
  }

  /** The conversation of the newest session, one line per part: `user: hello`. */
  get transcript(): string[] {
    return this.contents.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${textOf(part)}`))
  }

  /** Makes the open sessions hear this text, followed by silence, as if its audio had arrived. */
  hear(text: string): void {
    for (const session of this.open) session.hear(text)
  }

  /** Sends `goAway` over the open connections, and closes them after `timeLeft` milliseconds. */
  goAway(timeLeft: number): void {
    for (const session of this.open) session.goAway(timeLeft)
  }

  /** Sends the open sessions a new handle or, with false, an update that they cannot be resumed now. */
  offerHandle(resumable = true): void {
    for (const session of this.open) session.offerHandle(resumable)
  }

  /** Expires all handles, so that resuming fails. */
  forgetHandles(): void {
    this.#handles.clear()
  }

  protected refusalOf({ url }: DialRequest): number | undefined {
    return PATH.test(new URL(url).pathname) ? undefined : 404
  }

  protected startSession(connection: ServerConnection): GeminiLiveSession {
    const session = new GeminiLiveSession(this, connection, this.#options, this.#script, this.#handles)
    const key = keyOf(connection.request)
    // The vendor checks the key only after the upgrade.
    if (!key) connection.close(1008, "Method doesn't allow unregistered callers.")
    else if ((this.#options.apiKey ?? key) !== key) {
      connection.close(1007, 'API key not valid. Please pass a valid API key.')
    }
    return session
  }
}

function keyOf({ url, headers = {} }: DialRequest): string | undefined {
  const query = new URL(url).searchParams
  const bearer = headers['authorization']?.replace(/^Bearer /, '')
  return query.get('key') ?? query.get('access_token') ?? headers['x-goog-api-key'] ?? bearer
}

function textOf({ text, functionCall, functionResponse }: GeminiContent['parts'][number]): string {
  if (functionCall) return `${functionCall.name}(${JSON.stringify(functionCall.args)})`
  return functionResponse ? JSON.stringify(functionResponse.response) : (text ?? '')
}
