import { bytesOf, Resampler, type AudioFormat, type AudioFrame } from '../../../audio/index.ts'
import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../../link/index.ts'
import type { PartContext, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../../parts/index.ts'
import { CallerSpeech } from '../../caller-speech.ts'
import { runningCalls } from '../../running-calls.ts'
import { ProviderError } from '../../errors.ts'
import { Expiry } from '../../openai-realtime/expiry.ts'
import { UserSpeech } from '../../user-speech.ts'
import { readMessage, receiveMessage } from '../../vendor-message.ts'
import { LiveAnswers, type LiveAnswer, type LiveRequest } from './live-answers.ts'
import {
  checkLiveEvent,
  type BackendEvent,
  type LiveBackend,
  type LiveClientEvent,
  type LiveError,
  type LiveServerEvent,
  type LiveSession,
} from './live-events.ts'
import { LiveMemory, piecesOf, resultText } from './live-memory.ts'

/** The time limit for `session.closed`, with which the service confirms that it has finished. */
const CLOSED_TIMEOUT = 2_000
/** How `session.closed` is classified if it was not asked for, by its reason. Any other reason is a drop. */
const closedReasons: ReadonlyMap<unknown, 'expired' | 'fatal'> = new Map([
  ['expired', 'expired'],
  ['content', 'fatal'],
])
/** The types of errors during the setup after which another attempt may succeed. */
const TRANSIENT: ReadonlySet<unknown> = new Set(['server_error', 'internal_error', 'timeout'])
/** The generation of calls that another model has made. */
const ELSEWHERE = -1
/** Sent for an answer without instructions. */
const PROMPT = 'Answer the user now.'

export type LiveAgent = Pick<RealtimeSetup, 'instructions' | 'tools'>

export interface LiveModelOptions {
  readonly name: string
  readonly request: Protocol['request']
  readonly answerTimeout: number
  /** The first message of a session. */
  settings(agent: LiveAgent, format: AudioFormat): Omit<LiveSession, 'input'>
}

/**
 * A conversation over a link. The model listens and speaks at the same time and decides by itself when to speak, so there
 * are no turns in the protocol: `UserSpeech` derives those of the user, and `LiveAnswers` those of the model.
 *
 *   session.start, with the conversation so far ─▶ session.started ─▶ ready
 *   push ────▶ input_audio.append ────▶ input_transcript.delta                  ─▶ the user's words
 *   respond ─▶ commentary.append ─────▶ output_transcript.delta, output_audio.delta ─▶ answers
 *                                       response.event, from the backend        ─▶ calls
 *   close ───▶ session.close ─────────▶ session.closed
 */
export class LiveModel implements RealtimeModel, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly ending = {
    frames: () => [JSON.stringify({ type: 'session.close' } satisfies LiveClientEvent)],
    answer: (data: Data) => this.#handleWhileClosing(data),
    within: CLOSED_TIMEOUT,
  }
  readonly #context: PartContext
  readonly #events: RealtimeEvents
  readonly #options: LiveModelOptions
  /** The service has one format for both directions. */
  readonly #format: AudioFormat
  readonly #resampler: Resampler
  readonly #memory: LiveMemory
  readonly #user: UserSpeech
  readonly #answers: LiveAnswers
  readonly #expiry: Expiry
  readonly #callerSpeech = new CallerSpeech()
  /** Calls without a result, and the generation of the connection that they were made on. */
  readonly #calls = new Map<string, { readonly name: string; readonly generation: number }>()
  #agent: LiveAgent
  #agentSent: LiveAgent | undefined
  #link: Link | undefined
  /** The generation of the connection in use; 0 if there is none. */
  #generation = 0
  /** How much of the memory the newest connection was started with. */
  #carried = 0
  #hasResults = false
  /** Whether the caller has been heard to speak since the last answer. */
  #callerSpoke = false
  /** Whether text of the user that becomes final was spoken before the last answer. */
  #textIsLate = false
  /** Of the service's cumulative usage, what has been emitted. */
  #seconds = 0
  #failed = false

  constructor(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents, options: LiveModelOptions) {
    const { scope } = context
    this.name = options.name
    this.request = options.request
    this.#context = context
    this.#events = events
    this.#options = options
    this.#agent = setup
    this.#format = setup.speaks ?? setup.hears
    this.#resampler = new Resampler({ from: setup.hears.sampleRate, to: this.#format.sampleRate })
    this.#memory = new LiveMemory(setup.messages)
    for (const { id, name } of runningCalls(setup.messages))
      this.#calls.set(id, { name, generation: ELSEWHERE })
    this.#user = new UserSpeech({
      scope,
      takesTurns: true,
      events,
      finalText: (text) => {
        this.#callerSpoke = false
        this.#memory.add({ role: 'user', text }, this.#textIsLate)
      },
      fellSilent: () => this.#expiry.moveIfQuiet(),
    })
    this.#answers = new LiveAnswers({
      name: this.name,
      scope,
      events,
      format: this.#format,
      answerTimeout: options.answerTimeout,
      send: (request, id) => this.#sendRequest(request, id),
      answerStarted: (answer, asked) => this.#answerStarted(answer, asked),
      answerEnded: () => {
        this.#textIsLate = true
        this.#user.answerGenerated()
        this.#textIsLate = false
        this.#expiry.moveIfQuiet()
      },
    })
    this.#expiry = new Expiry(scope, () => !this.#user.pending && this.#answers.quiet)
  }

  async open(): Promise<RealtimeModel> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── RealtimeModel ──

  push(frame: AudioFrame): void {
    if (frame.samples.length === 0 || !this.#alive) return
    const samples = this.#resampler.push(frame.samples)
    const bytes = bytesOf({ samples, sampleRate: this.#format.sampleRate }, this.#format)
    const audio = Buffer.from(bytes).toString('base64')
    const event: LiveClientEvent = { type: 'session.input_audio.append', audio }
    this.#link?.sendAudio(JSON.stringify(event))
    if (!this.#callerSpeech.push(frame)) return
    this.#callerSpoke = true
    this.#link?.expectAnswer()
  }

  /** No-op: the model always decides by itself when the user has finished. */
  commit(): void {}

  respond(instructions?: string): void {
    if (!this.#alive) return
    this.#answers.request({ instructions, continues: this.#hasResults })
    this.#hasResults = false
  }

  addText(text: string): void {
    if (!this.#alive || text === '') return
    this.#memory.add({ role: 'user', text })
    this.#append('thinking', `The user wrote: ${text}`)
  }

  toolResult(id: string, output: string, failed: boolean): void {
    const call = this.#calls.get(id)
    if (!this.#alive || !call) return
    this.#calls.delete(id)
    const result = failed ? `Error: ${output}` : output
    const text = resultText(call.name, result)
    this.#memory.add({ role: 'developer', text })
    // Another session does not know the call.
    if (call.generation !== this.#generation) return this.#append('thinking', text)
    this.#hasResults = true
    const item = { type: 'function_call_output', call_id: id, output: result } as const
    this.#send({ type: 'response.item.create', item })
  }

  /** The model cannot be stopped, but it can be told what was heard. */
  interrupt(response: string, heard: number): void {
    if (!this.#alive) return
    const answer = this.#answers.interrupt(response)
    if (!answer || heard >= answer.sound) return
    answer.text = answer.text.slice(0, Math.round((answer.text.length * heard) / answer.sound))
    const what = answer.text === '' ? 'nothing of it' : `only this: ${answer.text}`
    this.#append('thinking', `Your last answer was interrupted. The user has heard ${what}`)
  }

  update({ instructions, tools }: LiveAgent): void {
    if (!this.#alive) return
    this.#agent = { instructions, tools }
    if (this.#generation > 0) this.#changeAgent()
  }

  // ── Protocol ──

  opened(connection: LinkConnection): void {
    this.#agentSent = this.#agent
    this.#carried = this.#memory.added
    const session = { input: this.#memory.items(), ...this.#options.settings(this.#agent, this.#format) }
    connection.send(JSON.stringify({ type: 'session.start', session } satisfies LiveClientEvent))
  }

  message(data: Data, connection: LinkConnection): void {
    const event = receiveMessage(data, checkLiveEvent, connection)
    if (!event) return
    if (event.type === 'session.closed') this.#closed(event, connection)
    else if (connection.generation === this.#generation) this.#handle(event)
    else if (event.type === 'session.started') this.#ready(connection, event.session?.expires_at)
    else if (event.type === 'error') {
      const { type, message } = event.error ?? {}
      connection.end(TRANSIENT.has(type) ? 'dropped' : 'fatal', message)
    }
  }

  /** After a rollover the new connection is already in use. */
  lost(end: LinkEnd): void {
    if (end.class !== 'asked') this.#generation = 0
    this.#user.finish()
    this.#hasResults = false
    const error = new ProviderError(this.name, 'the connection broke in the middle of an answer', {
      retryable: true,
    })
    this.#answers.lost(error)
  }

  failed(error: LinkError): void {
    this.#failed = true
    this.#expiry.clear()
    this.#user.release()
    this.#answers.release()
    this.#events.failed(error)
  }

  // ── connections ──

  #ready(connection: LinkConnection, expiresAt: number | undefined): void {
    this.#generation = connection.generation
    this.#seconds = 0
    connection.ready()
    this.#expiry.plan(connection, expiresAt)
    // What has happened since the session was started.
    for (const text of this.#memory.since(this.#carried)) this.#append('thinking', text)
    if (this.#agentSent !== this.#agent) this.#changeAgent()
    if (this.#memory.awaitsAnswer && !this.#answers.hasRequests && connection.generation > 1)
      this.#append('commentary', PROMPT)
    this.#answers.sendNext()
  }

  #closed({ reason, usage }: Closed, connection: LinkConnection): void {
    if (connection.generation === this.#generation) this.#used(usage?.seconds)
    const as: EndClass = closedReasons.get(reason) ?? 'dropped'
    connection.end(as, `the session was closed: ${reason ?? 'it gave no reason'}`)
  }

  #changeAgent(): void {
    const { instructions } = this.#agent
    const { delegation } = this.#options.settings(this.#agent, this.#format)
    const { model: _, ...responses }: LiveBackend = delegation.responses
    this.#send({ type: 'session.update', session: { delegation: { type: 'responses', responses } } })
    if (instructions !== this.#agentSent?.instructions)
      this.#append(
        'instructions',
        `From now on, follow these instructions in place of all others: ${instructions}`,
      )
    this.#agentSent = this.#agent
  }

  // ── events ──

  #handle(event: LiveServerEvent): void {
    switch (event.type) {
      case 'session.output_audio.delta':
        return this.#answers.audio(event.delta ?? '')
      case 'session.output_transcript.delta':
        return event.delta ? this.#answers.text(event.delta, event.start_ms) : undefined
      case 'session.input_transcript.delta':
        return this.#user.addText(event.delta ?? '', this.#isLate(event.start_ms))
      case 'session.usage.updated':
        return this.#used(event.usage?.seconds)
      case 'response.event':
        return this.#backend(event.event ?? {})
      case 'error':
        return this.#error(event.error ?? {})
      case 'session.started':
      case 'session.closed':
        return undefined
    }
  }

  /** Until `session.closed`, only the user's last words and the usage matter. */
  #handleWhileClosing(data: Data): boolean {
    const event = readMessage(data, checkLiveEvent)
    if (event?.type === 'session.input_transcript.delta') this.#user.addText(event.delta ?? '', true)
    if (event?.type === 'session.usage.updated') this.#used(event.usage?.seconds)
    if (event?.type !== 'session.closed') return false
    this.#user.finish()
    this.#used(event.usage?.seconds)
    return true
  }

  /** Whether words of the user were spoken before the answer that is running: its question. Others interrupt it. */
  #isLate(spokenAt = 0): boolean {
    const { running } = this.#answers
    return running !== undefined && spokenAt <= (running.startedAt ?? Infinity)
  }

  #answerStarted(answer: LiveAnswer, asked: boolean): void {
    // The transcript of what the caller said has not arrived yet.
    if (!asked && this.#callerSpoke && !this.#user.pending) this.#user.started()
    this.#callerSpoke = false
    this.#user.answerStarted()
    this.#memory.add(answer)
  }

  #backend({ type, item, response }: BackendEvent): void {
    this.#answers.keepWaiting()
    if (type === 'response.output_item.done' && item?.type === 'function_call') {
      const { call_id: id, name, arguments: input = '' } = item
      if (id === undefined || name === undefined || this.#calls.has(id)) return
      this.#calls.set(id, { name, generation: this.#generation })
      this.#answers.call({ id, name, input })
    }
    if (type !== 'response.completed' && type !== 'response.incomplete' && type !== 'response.failed') return
    const { input_tokens: inputTokens, output_tokens: outputTokens } = response?.usage ?? {}
    if (inputTokens !== undefined && outputTokens !== undefined)
      this.#events.usage({ inputTokens, outputTokens })
    this.#answers.called()
  }

  #error({ code, message, client_event_id }: LiveError): void {
    // The message about a wrong key may quote the key.
    const error = new ProviderError(this.name, code === 'invalid_api_key' ? code : message)
    if (this.#answers.failRequest(client_event_id, error)) return
    this.#context.logger.warn({ link: this.name, code, error }, 'the service reported an error')
  }

  #used(seconds = 0): void {
    const audioSeconds = seconds - this.#seconds
    if (audioSeconds <= 0) return
    this.#seconds = seconds
    this.#events.usage({ audioSeconds })
  }

  // ── sending ──

  #sendRequest({ instructions, continues }: LiveRequest, id: string): boolean {
    if (this.#generation === 0) return false
    if (continues) {
      if (instructions !== undefined) this.#append('thinking', instructions)
      this.#send({ type: 'response.create', event_id: id })
    } else this.#append('commentary', instructions || PROMPT, id)
    this.#link?.expectAnswer()
    return true
  }

  #append(what: 'instructions' | 'thinking' | 'commentary', text: string, id?: string): void {
    for (const content of piecesOf(text))
      this.#send({
        type: `session.${what}.append`,
        content,
        delegation_id: null,
        ...(id === undefined ? {} : { event_id: id }),
      })
  }

  get #alive(): boolean {
    return !this.#failed && this.#context.scope.state === 'live'
  }

  #send(event: LiveClientEvent): void {
    if (this.#generation > 0) this.#link?.send(JSON.stringify(event))
  }
}

type Closed = Extract<LiveServerEvent, { type: 'session.closed' }>
