import { bytesOf, durationOf, lengthOf, type AudioFrame } from '../../audio/index.ts'
import type { LinkError, Protocol } from '../../link/index.ts'
import type { PartContext, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../parts/index.ts'
import { CallerSpeech } from '../caller-speech.ts'
import type { RealtimeDialect } from './dialect.ts'
import {
  isInputEvent,
  isResponseEvent,
  isTranscriptionEvent,
  type ApiError,
  type ClientEvent,
  type ServerEvent,
} from './events.ts'
import { Memory } from './memory.ts'
import { OpenAILink, type OpenAILinkHost } from './openai-link.ts'
import { Responses, type ResponsesHost } from './responses.ts'
import { UserTurns } from './user-turns.ts'

/** The service refuses to commit less audio than this, in milliseconds. */
const MIN_COMMIT = 100
/** How long a cancelled response may go on before the next request is sent. */
const CANCEL_TIMEOUT = 5_000

export interface RealtimeModelOptions {
  readonly name: string
  readonly request: Protocol['request']
  readonly dialect: RealtimeDialect
}

/**
 * One conversation over a link. `Responses` has the model's answers, `UserTurns` the user's speech, and `Memory` the
 * conversation as it is carried over to a new connection.
 */
export class OpenAIRealtimeModel implements RealtimeModel, OpenAILinkHost {
  readonly say?: (words: string) => void
  readonly #context: PartContext
  readonly #dialect: RealtimeDialect
  readonly #events: RealtimeEvents
  readonly #memory: Memory
  readonly #link: OpenAILink
  readonly #responses: Responses
  readonly #user: UserTurns
  readonly #callerSpeech = new CallerSpeech()
  #setup: Omit<RealtimeSetup, 'messages'>
  /** Milliseconds of audio sent since the last commit. */
  #uncommitted = 0
  #failed = false

  constructor(
    { name, request, dialect }: RealtimeModelOptions,
    context: PartContext,
    { messages, ...setup }: RealtimeSetup,
    events: RealtimeEvents,
  ) {
    this.#context = context
    this.#dialect = dialect
    this.#events = events
    this.#setup = setup
    this.#memory = new Memory(messages)
    this.#link = new OpenAILink(name, request, context, this, dialect)
    this.#responses = new Responses(this.#responsesHost(name))
    this.#user = new UserTurns({
      events,
      memory: this.#memory,
      transcribes: dialect.transcribes,
      // Without turn detection the turn is complete when it is committed.
      revisesTranscripts: dialect.revisesTranscripts === true && setup.takesTurns,
      warn: (fields, message) => context.logger.warn({ link: name, ...fields }, message),
    })
    if (dialect.say) this.say = this.#say.bind(this)
  }

  #say(words: string): void {
    if (!this.#inactive) this.#responses.request({ words })
  }

  async open(): Promise<RealtimeModel> {
    await this.#link.open()
    return this
  }

  // ── RealtimeModel ──

  push(frame: AudioFrame): void {
    if (this.#inactive || lengthOf(frame) === 0) return
    this.#link.sendAudio(bytesOf(frame, this.#setup.hears))
    this.#uncommitted += durationOf(frame)
    if (this.#callerSpeech.push(frame) && this.#setup.takesTurns) this.#link.callerSpeaks()
  }

  commit(): void {
    this.#user.settle()
    // A service that takes the turns has nothing to commit during silence.
    const possible = this.#setup.takesTurns ? this.#user.speaking : this.#uncommitted >= MIN_COMMIT
    if (this.#inactive || !possible) return
    this.#uncommitted = 0
    this.#link.attempt({ type: 'input_audio_buffer.commit' })
  }

  respond(instructions?: string): void {
    if (!this.#inactive) this.#responses.request({ instructions })
  }

  addText(text: string): void {
    if (!this.#inactive && text.trim() !== '') this.#link.send(this.#memory.addUserText(text))
  }

  toolResult(id: string, output: string): void {
    if (this.#inactive) return
    const event = this.#memory.addResult(id, output)
    if (event) this.#link.send(event)
  }

  interrupt(response: string, heard: number): void {
    if (!this.#inactive) this.#responses.interrupt(response, heard)
  }

  update({ instructions, tools }: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    this.#setup = { ...this.#setup, instructions, tools }
    if (this.#inactive) return
    this.#link.send({ type: 'session.update', session: this.#dialect.agentSettings(this.#setup) })
  }

  // ── OpenAILinkHost ──

  settings(): object {
    return this.#dialect.settings(this.#setup)
  }

  carryOver(): readonly ClientEvent[] {
    return this.#memory.carryOver()
  }

  connected(): void {
    this.#responses.sendNext()
  }

  disconnected(): void {
    this.#uncommitted = 0
    this.#user.lost()
    this.#responses.lost()
  }

  handle(event: ServerEvent): void {
    if (isResponseEvent(event)) {
      this.#responses.handle(event)
      if (this.#responses.speaking || event.type === 'response.done') this.#user.settle()
    } else if (isTranscriptionEvent(event)) this.#user.handleTranscription(event)
    else if (isInputEvent(event)) this.#user.handleInput(event)
  }

  /** While closing, only the user's last words matter. */
  handleWhileClosing(event: ServerEvent): boolean {
    if (isTranscriptionEvent(event) || event.type === 'input_audio_buffer.committed') this.handle(event)
    this.#user.settle()
    return false
  }

  handleError(error: ApiError): boolean {
    return this.#responses.handleError(error)
  }

  failed(error: LinkError): void {
    this.#failed = true
    this.#responses.stop()
    this.#events.failed(error)
  }

  expectsEvents(): boolean {
    return this.#responses.active
  }

  quiet(): boolean {
    return this.#user.quiet && this.#responses.quiet
  }

  /** Whether the link has failed or the scope is closing. */
  get #inactive(): boolean {
    return this.#failed || this.#context.scope.state !== 'live'
  }

  #responsesHost(name: string): ResponsesHost {
    const { logger, scope } = this.#context
    const link = this.#link
    return {
      name,
      events: this.#events,
      memory: this.#memory,
      format: this.#setup.speaks ?? this.#setup.hears,
      cancelTimeout: this.#dialect.cancelTimeout ?? CANCEL_TIMEOUT,
      gaveUp: () => link.expectNothing(),
      sayItem: (words) => this.#dialect.say!(words),
      connected: () => link.connected,
      send: (event) => link.send(event),
      attempt: (event) => link.attempt(event),
      instructions: () => this.#setup.instructions,
      after: (ms, callback) => scope.after(ms, `answer of '${name}'`, callback),
      warn: (fields, message) => logger.warn({ link: name, ...fields }, message),
    }
  }
}
