import { bytesFromSamples, durationOf, type AudioFrame } from '../../audio/index.ts'
import type { LinkError, Protocol } from '../../link/index.ts'
import type { PartContext, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../parts/index.ts'
import {
  isAboutInput,
  isAboutResponse,
  isTranscription,
  type ApiError,
  type ClientEvent,
  type ServerEvent,
  type SessionSettings,
} from './events.ts'
import { Memory } from './memory.ts'
import { OpenAILink, type OpenAILinkHost } from './openai-link.ts'
import { Responses, type ResponsesHost } from './responses.ts'
import { agentSettings, realtimeSettings, type RealtimeConfig } from './session-config.ts'
import { UserTurns } from './user-turns.ts'

/** Less sound than this, in milliseconds, cannot be committed. */
const LEAST_COMMIT = 100

/** What a model is opened with. */
export interface RealtimeModelOptions {
  readonly name: string
  readonly request: Protocol['request']
  readonly config: RealtimeConfig
}

/**
 * One conversation, over a link. Its parts: `Responses` has the answers, `UserTurns` what the user says, `Memory` all of it as
 * a new connection is told it.
 */
export class OpenAIRealtimeModel implements RealtimeModel, OpenAILinkHost {
  readonly #context: PartContext
  readonly #config: RealtimeConfig
  readonly #events: RealtimeEvents
  readonly #memory: Memory
  readonly #link: OpenAILink
  readonly #responses: Responses
  readonly #user: UserTurns
  #setup: Omit<RealtimeSetup, 'messages'>
  /** Milliseconds of sound that were sent and not committed. */
  #uncommitted = 0
  #failed = false

  constructor(
    { name, request, config }: RealtimeModelOptions,
    context: PartContext,
    { messages, ...setup }: RealtimeSetup,
    events: RealtimeEvents,
  ) {
    this.#context = context
    this.#config = config
    this.#events = events
    this.#setup = setup
    this.#memory = new Memory(messages)
    this.#link = new OpenAILink(name, request, context, this)
    this.#responses = new Responses(this.#answering(name))
    this.#user = new UserTurns({
      events,
      memory: this.#memory,
      transcribes: config.transcription !== false,
      warn: (fields, message) => context.logger.warn({ link: name, ...fields }, message),
    })
  }

  async open(): Promise<RealtimeModel> {
    await this.#link.open()
    return this
  }

  // ── the model ──

  push(frame: AudioFrame): void {
    if (this.#gone || frame.samples.length === 0) return
    this.#link.sendAudio(bytesFromSamples(frame.samples))
    this.#uncommitted += durationOf(frame)
  }

  commit(): void {
    // Where the service takes the turns, silence is nothing that could be committed.
    const something = this.#setup.takesTurns ? this.#user.speaking : this.#uncommitted >= LEAST_COMMIT
    if (this.#gone || !something) return
    this.#uncommitted = 0
    this.#link.attempt({ type: 'input_audio_buffer.commit' })
  }

  respond(instructions?: string): void {
    if (!this.#gone) this.#responses.ask(instructions)
  }

  addText(text: string): void {
    if (!this.#gone && text.trim() !== '') this.#link.send(this.#memory.types(text))
  }

  toolResult(id: string, output: string): void {
    if (this.#gone) return
    const event = this.#memory.returns(id, output)
    if (event) this.#link.send(event)
  }

  interrupt(response: string, heard: number): void {
    if (!this.#gone) this.#responses.interrupt(response, heard)
  }

  update({ instructions, tools }: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    this.#setup = { ...this.#setup, instructions, tools }
    if (!this.#gone) this.#link.send({ type: 'session.update', session: agentSettings(this.#setup) })
  }

  // ── the link ──

  settings(): SessionSettings {
    return realtimeSettings(this.#config, this.#setup)
  }

  carryOver(): readonly ClientEvent[] {
    return this.#memory.carryOver()
  }

  connected(): void {
    this.#responses.next()
  }

  disconnected(): void {
    this.#uncommitted = 0
    this.#user.lost()
    this.#responses.lost()
  }

  heard(event: ServerEvent): void {
    if (isAboutResponse(event)) this.#responses.heard(event)
    else if (isTranscription(event)) this.#user.words(event)
    else if (isAboutInput(event)) this.#user.input(event)
  }

  /** Closing: only the last words of the user are of interest, as long as somebody waits for them. */
  heardLast(event: ServerEvent): boolean {
    if (isTranscription(event) || event.type === 'input_audio_buffer.committed') this.heard(event)
    return false
  }

  refused(error: ApiError): boolean {
    return this.#responses.refused(error)
  }

  failed(error: LinkError): void {
    this.#failed = true
    this.#responses.stop()
    this.#events.failed(error)
  }

  quiet(): boolean {
    return this.#user.quiet && this.#responses.quiet
  }

  /** Nothing may be told any more. */
  get #gone(): boolean {
    return this.#failed || this.#context.scope.state !== 'live'
  }

  #answering(name: string): ResponsesHost {
    const { logger, scope } = this.#context
    const link = this.#link
    return {
      name,
      events: this.#events,
      memory: this.#memory,
      get connected() {
        return link.connected
      },
      send: (event) => link.send(event),
      attempt: (event) => link.attempt(event),
      instructions: () => this.#setup.instructions,
      after: (ms, callback) => scope.after(ms, `answer of '${name}'`, callback),
      warn: (fields, message) => logger.warn({ link: name, ...fields }, message),
    }
  }
}
