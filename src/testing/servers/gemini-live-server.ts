import type { DialRequest } from '../../scope/index.ts'
import { Script, type Answers, type LlmAnswer } from '../script.ts'
import { GeminiHandles } from './gemini-handles.ts'
import { GeminiLiveSession, type GeminiSessionOptions, type GeminiTurn } from './gemini-live-session.ts'
import type { GeminiContent } from './gemini-messages.ts'
import type { ServerConnection } from './server-connection.ts'
import { VendorServer, type VendorServerOptions } from './vendor-server.ts'

export interface GeminiLiveServerOptions extends VendorServerOptions, GeminiSessionOptions {
  /** The key that a client must bring; any unless set. */
  apiKey?: string
  /** What it answers, in order, or a function of what it was asked. Text is spoken. */
  answers?: Answers<GeminiTurn>
}

const PATH =
  /^\/+ws\/(google\.ai\.generativelanguage\.v1(alpha|beta)\.GenerativeService\.BidiGenerateContent(Constrained)?|google\.cloud\.aiplatform\.v1beta1\.LlmBidiService\/BidiGenerateContent)$/

/**
 * Google's Gemini Live API, for tests. It hears the words of `soundOf`, answers by script in the same voice, gives
 * handles to resume by, and warns before it ends a connection.
 *
 * ```ts
 * const server = new GeminiLiveServer({ clock, answers: ['Good morning.'] })
 * network.serve = server.serve
 * ```
 */
export class GeminiLiveServer extends VendorServer<GeminiLiveSession> {
  /** It never completes a setup from here on. */
  ignoresSetup = false
  readonly #options: GeminiLiveServerOptions
  readonly #script: Script<GeminiTurn>
  readonly #handles = new GeminiHandles()

  constructor(options: GeminiLiveServerOptions = {}) {
    super(options)
    this.#options = options
    this.#script = new Script('gemini', options.answers)
  }

  /** Adds to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** What the model remembers in its newest session. */
  get contents(): readonly GeminiContent[] {
    return this.sessions.at(-1)?.contents ?? []
  }

  /** The same in words, one line a part: `user: hello`. */
  get transcript(): string[] {
    return this.contents.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${wordsOf(part)}`))
  }

  /** The user says this and stops, in the open sessions: as if the sound of it had come. */
  hear(text: string): void {
    for (const session of this.open) session.hear(text)
  }

  /** The open connections are told that they end in so many milliseconds, and do. */
  goAway(timeLeft: number): void {
    for (const session of this.open) session.goAway(timeLeft)
  }

  /** The open sessions are given a handle now, or, with false, told that they cannot be resumed just now. */
  offerHandle(resumable = true): void {
    for (const session of this.open) session.offerHandle(resumable)
  }

  /** Forgets every handle, as after their time has run out: resuming fails. */
  forgetHandles(): void {
    this.#handles.forget()
  }

  protected refusalOf({ url }: DialRequest): number | undefined {
    return PATH.test(new URL(url).pathname) ? undefined : 404
  }

  protected greet(connection: ServerConnection): GeminiLiveSession {
    const session = new GeminiLiveSession(this, connection, this.#options, this.#script, this.#handles)
    const key = keyOf(connection.request)
    // The vendor looks at the key only after the upgrade.
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

function wordsOf({ text, functionCall, functionResponse }: GeminiContent['parts'][number]): string {
  if (functionCall) return `${functionCall.name}(${JSON.stringify(functionCall.args)})`
  return functionResponse ? JSON.stringify(functionResponse.response) : (text ?? '')
}
