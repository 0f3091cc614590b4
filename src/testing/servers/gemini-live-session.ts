import type { Script } from '../script.ts'
import type { Understands } from './ear.ts'
import { GeminiAnswer } from './gemini-answer.ts'
import type { GeminiHandles } from './gemini-handles.ts'
import { GeminiInput } from './gemini-input.ts'
import type {
  GeminiClientMessage,
  GeminiContent,
  GeminiFunctionResponse,
  GeminiClientContent,
  GeminiServerMessage,
  GeminiSetup,
} from './gemini-messages.ts'
import type { ServerConnection } from './server-connection.ts'

/** The vendor's time limit for a connection. */
const LIFETIME = 10 * 60_000
/** Models that take `contextUpdate`. */
const CONTEXT_UPDATE = /gemini-3\.8/
/** How long before that limit the vendor sends `goAway`. */
const GO_AWAY_BEFORE = 60_000

export interface GeminiSessionOptions {
  /** The known models, as `models/…`. Default: any. */
  models?: readonly string[]
  /** Milliseconds from the end of the user's turn to the first output. Default: 0. */
  firstAfter?: number
  /** How much faster than real time the audio is sent. `Infinity` sends it at once. Default: 5. */
  speed?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  /** The time limit of a connection in milliseconds. Default: 10 minutes. */
  lifetime?: number
  /** How long before that limit `goAway` is sent, in milliseconds. Default: 1 minute. */
  goAwayBefore?: number
  /** Milliseconds from the end of a turn to its resumption handle. Default: 50. */
  handleAfter?: number
  /** Sends JSON in text frames instead of binary ones, which the vendor uses. */
  sendsText?: boolean
  /** Transcribes a sound. Default: `textOf`. */
  understands?: Understands
}

/** What the model answers: the input since its last answer, and the whole conversation. */
export interface GeminiTurn {
  readonly user: string
  readonly results: readonly GeminiFunctionResponse[]
  readonly contents: readonly GeminiContent[]
}

/** What a session reads of its server. */
export interface GeminiSessionHost {
  readonly ignoresSetup: boolean
  /** The sessions whose connection is open. */
  readonly open: readonly GeminiLiveSession[]
}

/** One connection to a `GeminiLiveServer`. */
export class GeminiLiveSession {
  readonly connection: ServerConnection
  /** All client messages, in order. */
  readonly received: GeminiClientMessage[] = []
  /** The conversation, which a resumed connection continues. */
  readonly contents: GeminiContent[] = []
  readonly #server: GeminiSessionHost
  readonly #options: GeminiSessionOptions
  readonly #script: Script<GeminiTurn>
  readonly #handles: GeminiHandles
  #setup: GeminiSetup | undefined
  #name: string | undefined
  #input: GeminiInput | undefined
  #answer: GeminiAnswer | undefined
  /** How much of `contents` the model has answered. */
  #answered = 0
  /** Whether the user has finished a turn during an answer that could not be interrupted. */
  #userWaits = false
  /** Whether content is history, and audio is ignored, until a complete turn. */
  #awaitsHistory = false

  constructor(
    server: GeminiSessionHost,
    connection: ServerConnection,
    options: GeminiSessionOptions,
    script: Script<GeminiTurn>,
    handles: GeminiHandles,
  ) {
    this.connection = connection
    this.#server = server
    this.#options = options
    this.#script = script
    this.#handles = handles
    const { lifetime = LIFETIME, goAwayBefore = GO_AWAY_BEFORE } = options
    const timeLeft = Math.min(lifetime, goAwayBefore)
    connection.after(lifetime - timeLeft, 'goAway', () => this.goAway(timeLeft))
  }

  get setup(): GeminiSetup | undefined {
    return this.#setup
  }

  /** The name of the conversation, which all connections that resume it share. */
  get name(): string | undefined {
    return this.#name
  }

  /** Sends `goAway`, and closes the connection after `timeLeft` milliseconds. */
  goAway(timeLeft: number): void {
    this.#send({ goAway: { timeLeft: `${timeLeft / 1000}s` } })
    this.connection.after(timeLeft, 'end of the connection', () =>
      this.connection.close(1011, 'Deadline expired before operation could complete.'),
    )
  }

  /** Sends a resumption handle or, with false, an update that there is none now. */
  offerHandle(resumable = true): void {
    if (!this.#setup?.sessionResumption) return
    const newHandle = resumable ? this.#handles.issue(this.#name!, this.contents) : ''
    this.#send({ sessionResumptionUpdate: { newHandle, resumable } })
  }

  /** Hears this text, followed by silence. */
  hear(text: string): void {
    this.#input?.hear(text)
  }

  receive(data: string | Uint8Array): void {
    let message: GeminiClientMessage
    try {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
      message = JSON.parse(text) as GeminiClientMessage
    } catch {
      return this.#invalid()
    }
    this.received.push(message)
    if (!this.#setup !== (message.setup !== undefined)) {
      return this.connection.close(1007, 'setup must be the first message and only the first')
    }
    return this.#handle(message)
  }

  #handle({ setup, realtimeInput, clientContent, toolResponse, contextUpdate }: GeminiClientMessage): void {
    if (setup) this.#begin(setup)
    else if (realtimeInput) {
      if (!this.#awaitsHistory) this.#input?.receive(realtimeInput)
    } else if (contextUpdate) this.#updateContext(contextUpdate)
    else if (clientContent) this.#addContent(clientContent.turns ?? [], clientContent.turnComplete ?? false)
    else for (const each of toolResponse?.functionResponses ?? []) this.#toolResponse(each)
  }

  #updateContext({ systemInstruction, tools }: NonNullable<GeminiClientMessage['contextUpdate']>): void {
    if (!CONTEXT_UPDATE.test(this.#setup?.model ?? '')) return this.#invalid()
    this.#setup = {
      ...this.#setup,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools === undefined ? {} : { tools: tools.tools ?? [] }),
    }
    return undefined
  }

  #invalid(): void {
    this.connection.close(1007, 'Request contains an invalid argument.')
  }

  /** The result of an asynchronous call comes after its turn, and is answered in the next one. */
  #toolResponse({ scheduling, ...response }: GeminiFunctionResponse & { scheduling?: string }): void {
    if (!this.#isAsync) return this.#answer?.toolResponse(response)
    this.contents.push({ role: 'user', parts: [{ functionResponse: response }] })
    if (scheduling === 'SILENT') return undefined
    if (this.#answer) this.#userWaits = true
    else this.#respond([response])
    return undefined
  }

  get #isAsync(): boolean {
    return JSON.stringify(this.#setup?.tools ?? []).includes('"NON_BLOCKING"')
  }

  #begin(setup: GeminiSetup): void {
    const { model = '', sessionResumption: { handle } = {} } = setup
    if (!(this.#options.models?.includes(model) ?? model.includes('/'))) {
      return this.connection.close(1008, `${model} is not found for API version v1beta, or is not supported.`)
    }
    // A model that thinks for long does not wait for its tools.
    if (model.includes('extended-thinking') && JSON.stringify(setup.tools ?? []).includes('"BLOCKING"'))
      return this.#invalid()
    if (handle !== undefined && !this.#resume(handle)) return undefined
    this.#awaitsHistory = setup.historyConfig?.initialHistoryInClientContent ?? false
    this.#name ??= this.#handles.newName()
    this.#setup = setup
    this.#input = new GeminiInput(
      setup,
      {
        started: () => this.#userStarted(),
        transcribed: (text) => this.#transcribed(text),
        finished: (text) => this.#userFinished(text),
        invalid: (reason) => this.connection.close(1007, reason),
      },
      this.#options.understands,
    )
    if (this.#server.ignoresSetup) return undefined
    return this.#send({ setupComplete: {} })
  }

  #resume(handle: string): boolean {
    const checkpoint = this.#handles.find(handle)
    if (!checkpoint) this.connection.close(1008, 'BidiGenerateContent session not found')
    // Like the vendor, refuses a second connection to the same conversation.
    else if (this.#server.open.some(({ name }) => name === checkpoint.name)) {
      this.connection.close(1011, 'Internal error encountered.')
    } else {
      this.#name = checkpoint.name
      this.contents.push(...checkpoint.contents)
      this.#answered = this.contents.length
      return true
    }
    return false
  }

  // ── the user ──

  #userStarted(): void {
    const { activityHandling } = this.#setup?.realtimeInputConfig ?? {}
    if (activityHandling !== 'NO_INTERRUPTION') this.#answer?.interrupt()
  }

  #transcribed(text: string): void {
    if (this.#setup?.inputAudioTranscription) this.#send({ serverContent: { inputTranscription: { text } } })
  }

  #userFinished(text: string): void {
    this.contents.push({ role: 'user', parts: [{ text }] })
    if (this.#answer) this.#userWaits = true
    else this.#respond()
  }

  #addContent(turns: readonly GeminiClientContent[], complete: boolean): void {
    if (turns.length === 0 && !this.#awaitsHistory) return this.#invalid()
    const history = this.#awaitsHistory
    // What the user said meanwhile is part of the conversation that is answered now.
    if (complete) this.#awaitsHistory = this.#userWaits = false
    if (!history) this.#answer?.interrupt()
    this.contents.push(...(turns as GeminiContent[]))
    if (complete && !history) this.#respond()
    return undefined
  }

  // ── the model ──

  /** `late` are results of asynchronous calls of an earlier turn. */
  #respond(late: readonly GeminiFunctionResponse[] = []): void {
    const { firstAfter = 0, speed = 5, msPerCharacter = 50 } = this.#options
    const modalities = this.#setup?.generationConfig?.responseModalities ?? ['AUDIO']
    const answer: GeminiAnswer = new GeminiAnswer({
      waitsForTools: !this.#isAsync,
      spoken: modalities.includes('AUDIO'),
      transcribed: this.#setup?.outputAudioTranscription !== undefined,
      firstAfter,
      speed,
      msPerCharacter,
      now: () => this.connection.clock.now(),
      send: (message) => this.#send(message),
      run: (timeline) => this.connection.run('answer', timeline),
      chunkOf: (step) => this.#script.chunkOf(step),
      remember: (content) => this.contents.push(content),
      continueWith: (results) => this.#speak(answer, results),
      failed: (error) => this.#failed(error),
      ended: () => this.#ended(),
    })
    this.#answer = answer
    this.offerHandle(false)
    this.#speak(answer, late)
  }

  #speak(answer: GeminiAnswer, results: readonly GeminiFunctionResponse[]): void {
    const fresh = this.contents.slice(this.#answered)
    this.#answered = this.contents.length
    const user = fresh.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)
    const turn: GeminiTurn = {
      user: user.flatMap(({ text }) => (text === undefined ? [] : [text])).join(' '),
      results,
      contents: [...this.contents],
    }
    this.#script.next(turn).then(
      (steps) => answer.speak(steps),
      (error: unknown) => this.#failed(error),
    )
  }

  #failed(error: unknown): void {
    this.connection.close(1011, error instanceof Error ? error.message : String(error))
  }

  #ended(): void {
    this.#answer = undefined
    // The vendor sends a turn's handle a little after the turn.
    this.connection.after(this.#options.handleAfter ?? 50, 'handle of a turn', () => this.offerHandle())
    if (!this.#userWaits) return
    this.#userWaits = false
    this.#respond()
  }

  #send(message: GeminiServerMessage): void {
    const text = JSON.stringify(message)
    this.connection.send(this.#options.sendsText ? text : new TextEncoder().encode(text))
  }
}
