import type { Script } from '../script.ts'
import type { Understands } from './ear.ts'
import { GeminiAnswer } from './gemini-answer.ts'
import type { GeminiHandles } from './gemini-handles.ts'
import { GeminiInput } from './gemini-input.ts'
import type {
  GeminiClientMessage,
  GeminiContent,
  GeminiFunctionResponse,
  GeminiGivenContent,
  GeminiServerMessage,
  GeminiSetup,
} from './gemini-messages.ts'
import type { ServerConnection } from './server-connection.ts'

/** How long a connection may last, and how long before its end the client is told: as the vendor has it. */
const LIFETIME = 10 * 60_000
const WARNING = 60_000

/** How a `GeminiLiveServer` behaves on each connection. */
export interface GeminiSessionOptions {
  /** The models there are, as `models/…`; any unless set. */
  models?: readonly string[]
  /** Milliseconds from the end of the user's turn to the first output: 0 unless set. */
  firstAfter?: number
  /** How much faster than it sounds it speaks: 5 unless set. `Infinity` is at once. */
  speed?: number
  /** How long a character sounds: 50 ms unless set. */
  msPerCharacter?: number
  /** How long a connection may last: 10 minutes unless set. */
  lifetime?: number
  /** How long before its end a connection is told: 1 minute unless set. */
  goAwayBefore?: number
  /** Milliseconds from the end of a turn to its resumption handle: 50 unless set. */
  handleAfter?: number
  /** JSON goes out in text frames. The vendor uses binary ones. */
  sendsText?: boolean
  /** What a sound says: read by `textOf` unless set. */
  understands?: Understands
}

/** What the model was asked: what came since it spoke last, and what it remembers. */
export interface GeminiTurn {
  readonly user: string
  readonly results: readonly GeminiFunctionResponse[]
  readonly contents: readonly GeminiContent[]
}

/** What a session reads of its server. */
interface GeminiServerState {
  readonly ignoresSetup: boolean
  readonly open: readonly GeminiLiveSession[]
}

/** One connection to a `GeminiLiveServer`. */
export class GeminiLiveSession {
  readonly connection: ServerConnection
  /** Every message of the client, in order. */
  readonly received: GeminiClientMessage[] = []
  /** What the model remembers. Resuming brings it back. */
  readonly contents: GeminiContent[] = []
  readonly #server: GeminiServerState
  readonly #options: GeminiSessionOptions
  readonly #script: Script<GeminiTurn>
  readonly #handles: GeminiHandles
  #setup: GeminiSetup | undefined
  #name: string | undefined
  #input: GeminiInput | undefined
  #answer: GeminiAnswer | undefined
  /** How much of `contents` the model has answered. */
  #answered = 0
  /** The user has spoken while the model was not to be interrupted. */
  #waiting = false

  constructor(
    server: GeminiServerState,
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
    const { lifetime = LIFETIME, goAwayBefore = WARNING } = options
    const warning = Math.min(lifetime, goAwayBefore)
    connection.after(lifetime - warning, 'the connection is about to end', () => this.goAway(warning))
  }

  get setup(): GeminiSetup | undefined {
    return this.#setup
  }

  /** The conversation it belongs to: the same on every connection that resumes it. */
  get name(): string | undefined {
    return this.#name
  }

  /** Says that the connection ends in so many milliseconds, and ends it then. */
  goAway(timeLeft: number): void {
    this.#send({ goAway: { timeLeft: `${timeLeft / 1000}s` } })
    this.connection.after(timeLeft, 'the connection ends', () =>
      this.connection.close(1011, 'Deadline expired before operation could complete.'),
    )
  }

  /** Sends a handle to resume by, or says that there is none just now. */
  offerHandle(resumable = true): void {
    if (!this.#setup?.sessionResumption) return
    const newHandle = resumable ? this.#handles.keep(this.#name!, this.contents) : ''
    this.#send({ sessionResumptionUpdate: { newHandle, resumable } })
  }

  /** The user says this and stops. */
  hear(text: string): void {
    this.#input?.hear(text)
  }

  receive(data: string | Uint8Array): void {
    let message: GeminiClientMessage
    try {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
      message = JSON.parse(text) as GeminiClientMessage
    } catch {
      return this.connection.close(1007, 'Request contains an invalid argument.')
    }
    this.received.push(message)
    if (!this.#setup !== (message.setup !== undefined)) {
      return this.connection.close(1007, 'setup must be the first message and only the first')
    }
    return this.#handle(message)
  }

  #handle({ setup, realtimeInput, clientContent, toolResponse }: GeminiClientMessage): void {
    if (setup) this.#begin(setup)
    else if (realtimeInput) this.#input?.receive(realtimeInput)
    else if (clientContent) this.#bring(clientContent.turns ?? [], clientContent.turnComplete ?? false)
    else for (const each of toolResponse?.functionResponses ?? []) this.#answer?.toolResponse(each)
  }

  #begin(setup: GeminiSetup): void {
    const { model = '', sessionResumption: { handle } = {} } = setup
    if (!(this.#options.models?.includes(model) ?? model.includes('/'))) {
      return this.connection.close(1008, `${model} is not found for API version v1beta, or is not supported.`)
    }
    if (handle !== undefined && !this.#resume(handle)) return undefined
    this.#name ??= this.#handles.newName()
    this.#setup = setup
    this.#input = new GeminiInput(
      setup,
      {
        started: () => this.#userStarts(),
        heard: (text) => this.#heard(text),
        said: (text) => this.#userSaid(text),
        invalid: (reason) => this.connection.close(1007, reason),
      },
      this.#options.understands,
    )
    if (this.#server.ignoresSetup) return undefined
    return this.#send({ setupComplete: {} })
  }

  #resume(handle: string): boolean {
    const kept = this.#handles.find(handle)
    if (!kept) this.connection.close(1008, 'BidiGenerateContent session not found')
    // The vendor cannot have one conversation on two connections.
    else if (this.#server.open.some(({ name }) => name === kept.name)) {
      this.connection.close(1011, 'Internal error encountered.')
    } else {
      this.#name = kept.name
      this.contents.push(...kept.contents)
      this.#answered = this.contents.length
      return true
    }
    return false
  }

  // ── the user ──

  #userStarts(): void {
    const { activityHandling } = this.#setup?.realtimeInputConfig ?? {}
    if (activityHandling !== 'NO_INTERRUPTION') this.#answer?.interrupt()
  }

  #heard(text: string): void {
    if (this.#setup?.inputAudioTranscription) this.#send({ serverContent: { inputTranscription: { text } } })
  }

  #userSaid(text: string): void {
    this.contents.push({ role: 'user', parts: [{ text }] })
    if (this.#answer) this.#waiting = true
    else this.#respond()
  }

  #bring(turns: readonly GeminiGivenContent[], complete: boolean): void {
    this.#answer?.interrupt()
    this.contents.push(...(turns as GeminiContent[]))
    if (complete) this.#respond()
  }

  // ── the model ──

  #respond(): void {
    const { firstAfter = 0, speed = 5, msPerCharacter = 50 } = this.#options
    const modalities = this.#setup?.generationConfig?.responseModalities ?? ['AUDIO']
    const answer: GeminiAnswer = new GeminiAnswer({
      spoken: modalities.includes('AUDIO'),
      transcribed: this.#setup?.outputAudioTranscription !== undefined,
      firstAfter,
      speed,
      msPerCharacter,
      now: () => this.connection.clock.now(),
      send: (message) => this.#send(message),
      play: (acts) => this.connection.play('answers', acts),
      chunkOf: (step) => this.#script.chunkOf(step),
      remember: (content) => this.contents.push(content),
      goOn: (results) => this.#speak(answer, results),
      failed: (error) => this.#failed(error),
      ended: () => this.#ended(),
    })
    this.#answer = answer
    this.offerHandle(false)
    this.#speak(answer, [])
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
    // The handle of a turn comes a little after its end.
    this.connection.after(this.#options.handleAfter ?? 50, 'gives a handle', () => this.offerHandle())
    if (!this.#waiting) return
    this.#waiting = false
    this.#respond()
  }

  #send(message: GeminiServerMessage): void {
    const text = JSON.stringify(message)
    this.connection.send(this.#options.sendsText ? text : new TextEncoder().encode(text))
  }
}
