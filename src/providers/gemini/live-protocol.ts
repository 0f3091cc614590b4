import { bytesFromSamples, type AudioFrame } from '../../audio/index.ts'
import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import type { PartContext, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../parts/index.ts'
import type { SocketEnd, Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { parseJson } from '../json-message.ts'
import { Conversation } from './conversation.ts'
import { classOf, durationIn } from './ends.ts'
import { textOf } from './memory.ts'
import type { ClientMessage, ResumptionUpdate, ServerMessage } from './messages.ts'
import { setupOf, type Role, type SetupOptions } from './setup.ts'

/** What is left of a connection's time when it is given up at the latest: its close frame has to be answered, too. */
const MARGIN = 2_000
/** How long another agent waits at most for what is being said. */
const UPDATE_WITHIN = 5_000
/** How long the handle of a turn is waited for when the turn is over. */
const HANDLE_WITHIN = 2_000

export interface LiveProtocolOptions {
  readonly name: string
  readonly request: Protocol['request']
  readonly setup: SetupOptions
  readonly stallTimeout: number
}

/**
 * A conversation over a link.
 *
 *   setup ──▶ setupComplete ─▶ what was said since the handle ─▶ ready
 *   push ───▶ realtimeInput ─▶ inputTranscription            ─▶ the user's words
 *   respond ▶ clientContent ─▶ modelTurn, toolCall, …        ─▶ answers
 *   goAway, update ─▶ as soon as all is quiet: the old socket is closed, and the next one resumes by the last handle
 *
 * There is no message that ends it: closing the socket does. Nor are there pings: answers to them were seen to take
 * half a minute.
 */
export class LiveProtocol implements RealtimeModel, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  /** The service answers 1011 to whoever resumes while the socket before is open. */
  readonly rollover = { order: 'old-first' } as const
  /** No frames: but what the user said last may still be written down. */
  readonly ending = { answer: (data: Data) => this.#lastWords(data) }
  readonly #context: PartContext
  readonly #events: RealtimeEvents
  readonly #setup: SetupOptions
  readonly #conversation: Conversation
  #role: Role
  #link: Link | undefined
  /** The connection in use. */
  #connection: LinkConnection | undefined
  /** Who the agent was when the newest connection was set up. */
  #told: Role | undefined
  /** Why the connection is to change. */
  #moving: 'going away' | 'another agent' | undefined
  /** Set while the handle of a turn that is over has not come. */
  #handleDue: Timer | undefined
  /** The link is gone for good. */
  #over = false

  constructor(
    context: PartContext,
    setup: RealtimeSetup,
    events: RealtimeEvents,
    { name, request, setup: options, stallTimeout }: LiveProtocolOptions,
  ) {
    this.name = name
    this.request = request
    this.#context = context
    this.#events = events
    this.#setup = options
    this.#role = setup
    const { scope } = context
    const host = {
      name,
      scope,
      stallTimeout,
      events,
      send: (message: ClientMessage) => this.#send(message),
      open: () => this.#connection !== undefined && this.#moving === undefined,
      settled: () => this.#moveIfQuiet(),
    }
    this.#conversation = new Conversation(host, setup)
  }

  async open(): Promise<RealtimeModel> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── the model ──

  push({ samples }: AudioFrame): void {
    if (samples.length === 0 || !this.#alive) return
    if (!this.#role.takesTurns && !this.#conversation.listening) {
      this.#conversation.listen()
      this.#send({ realtimeInput: { activityStart: {} } })
    }
    const data = Buffer.from(bytesFromSamples(samples)).toString('base64')
    const message: ClientMessage = { realtimeInput: { audio: { data, mimeType: 'audio/pcm;rate=16000' } } }
    this.#link?.sendAudio(JSON.stringify(message))
  }

  commit(): void {
    if (!this.#alive) return
    // The service takes the turns: all it can be told is that no more sound comes for now.
    if (this.#role.takesTurns) return this.#send({ realtimeInput: { audioStreamEnd: true } })
    if (!this.#conversation.listening) return
    this.#send({ realtimeInput: { activityEnd: {} } })
    this.#conversation.commit()
  }

  respond(instructions?: string): void {
    if (!this.#alive) return
    this.#conversation.turns.ask(instructions === undefined ? [] : [textOf('user', instructions)])
    this.#moveIfQuiet()
  }

  addText(text: string): void {
    if (this.#alive && text !== '') this.#conversation.turns.add([textOf('user', text)])
  }

  toolResult(id: string, output: string, failed: boolean): void {
    if (this.#alive) this.#conversation.turns.result(id, output, failed)
  }

  /** How much of it was heard the service cannot be told. */
  interrupt(response: string): void {
    if (this.#alive) this.#conversation.turns.interrupt(response)
  }

  /**
   * Only a new connection changes the instructions and tools of every live model, and a conversation may be resumed with
   * other ones. (`contextUpdate` would do it in place, but is known to the newest model alone.)
   */
  update({ instructions, tools }: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    if (!this.#alive) return
    this.#role = { ...this.#role, instructions, tools }
    this.#move('another agent', UPDATE_WITHIN)
  }

  // ── the protocol ──

  opened(connection: LinkConnection): void {
    this.#told = this.#role
    const setup = setupOf(this.#setup, this.#role, this.#conversation.memory.handle)
    connection.send(JSON.stringify({ setup }))
  }

  message(data: Data, connection: LinkConnection): void {
    const message: ServerMessage | undefined = parseJson(data)
    if (!message) return connection.end('dropped', 'it sent something that is no JSON')
    if (message.setupComplete) this.#ready(connection)
    if (message.sessionResumptionUpdate) this.#resumable(message.sessionResumptionUpdate)
    // What an old connection still says is not told any more: its turns are over.
    if (connection !== this.#connection) return undefined
    if (message.serverContent?.turnComplete) this.#expectHandle()
    this.#conversation.hear(message)
    if (message.goAway) this.#move('going away', durationIn(message.goAway.timeLeft) - MARGIN)
    return this.#moveIfQuiet()
  }

  lost(end: LinkEnd): void {
    this.#connection = undefined
    this.#moving = undefined
    this.#expectNoHandle()
    const why = end.class === 'asked' ? 'its time was up' : 'the connection broke'
    const error = new ProviderError(this.name, `${why} in the middle of an answer`, { retryable: true })
    this.#conversation.lost(error)
  }

  failed(error: LinkError): void {
    this.#over = true
    this.#expectNoHandle()
    this.#conversation.release()
    this.#events.failed(error)
  }

  classify(end: SocketEnd): EndClass | undefined {
    return classOf(end, this.#moving === 'going away')
  }

  // ── connections ──

  /** The service has agreed: it is told what it does not know, and then all that waits. */
  #ready(connection: LinkConnection): void {
    const { memory, turns } = this.#conversation
    const turnComplete = memory.owes && this.#role.takesTurns && !turns.asked
    if (memory.since.length > 0)
      connection.send(JSON.stringify({ clientContent: { turns: memory.since, turnComplete } }))
    this.#connection = connection
    connection.ready()
    // Another agent may have taken over since the setup was sent.
    if (this.#told !== this.#role) this.#move('another agent', UPDATE_WITHIN)
    turns.next()
  }

  /** Without a new handle the old one is still the best there is. */
  #resumable({ resumable, newHandle }: ResumptionUpdate): void {
    if (!resumable || !newHandle) return
    this.#conversation.memory.keep(newHandle)
    this.#expectNoHandle()
  }

  #expectHandle(): void {
    this.#expectNoHandle()
    this.#handleDue = this.#context.scope.after(HANDLE_WITHIN, `handle of '${this.name}'`, () => {
      this.#handleDue = undefined
      this.#moveIfQuiet()
    })
  }

  #expectNoHandle(): void {
    this.#handleDue?.clear()
    this.#handleDue = undefined
  }

  /** Moves to another connection when all is quiet, and in `within` milliseconds at the latest. */
  #move(why: 'going away' | 'another agent', within: number): void {
    // There is none to leave: the next one will be set up for whoever talks by then.
    if (!this.#connection) return
    this.#moving ??= why
    this.#connection.rollOver(within)
    this.#moveIfQuiet()
  }

  #moveIfQuiet(): void {
    if (this.#moving && !this.#handleDue && this.#conversation.quiet) this.#connection?.rollOver()
  }

  #lastWords(data: Data): false {
    const message: ServerMessage | undefined = parseJson(data)
    if (message) this.#conversation.hearLast(message)
    return false
  }

  get #alive(): boolean {
    return !this.#over && this.#context.scope.state === 'live'
  }

  #send(message: ClientMessage): void {
    this.#link?.send(JSON.stringify(message))
  }
}
