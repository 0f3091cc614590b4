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
import { CallerSpeech } from '../caller-speech.ts'
import { ProviderError } from '../errors.ts'
import { readMessage, receiveMessage } from '../vendor-message.ts'
import { Conversation } from './conversation.ts'
import { classifyEnd } from './classify-end.ts'
import { textOf } from './memory.ts'
import {
  checkServerMessage,
  type ClientContent,
  type ClientMessage,
  type ResumptionUpdate,
} from './messages.ts'
import { contextUpdateOf, setupOf, type AgentSetup, type SetupOptions } from './setup.ts'
import { PROMPT } from './turns.ts'

/**
 * Pongs of the service were seen to take 8 to 30 s, so a late pong says little about it, and its protocol has no other
 * message that it must answer. What it owes, an answer or a transcript, says more, and is noticed sooner.
 */
const TIMING = { pong: 35_000, answer: 9_000 }
/** A connection is left at least this long before its announced end, so that its close frame is still answered. */
const GO_AWAY_MARGIN = 2_000
/** How long an agent change waits for the conversation to become quiet. */
const UPDATE_TIMEOUT = 5_000
/** How long to wait for a turn's resumption handle after the turn has ended. */
const HANDLE_TIMEOUT = 2_000

export interface LiveProtocolOptions {
  readonly name: string
  readonly request: Protocol['request']
  readonly setup: SetupOptions
  readonly stallTimeout: number
}

/**
 * A conversation over a link.
 *
 *   setup ──▶ setupComplete ─▶ the conversation since the handle ─▶ ready
 *   push ───▶ realtimeInput ─▶ inputTranscription               ─▶ the user's words
 *   respond ▶ clientContent ─▶ modelTurn, toolCall, …           ─▶ answers
 *   goAway, update ─▶ when the conversation is quiet: the old socket closes, and the next one resumes by the last handle
 *
 * The protocol has no end message: a conversation ends with its socket.
 */
export class LiveProtocol implements RealtimeModel, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  /** The service refuses to resume, with 1011, while the previous socket is open. */
  readonly rollover = { order: 'old-first' } as const
  readonly timing = TIMING
  /** Sends no frames, but still reads the transcript of the user's last words. */
  readonly ending = { answer: (data: Data) => this.#handleWhileClosing(data) }
  readonly #context: PartContext
  readonly #events: RealtimeEvents
  readonly #setup: SetupOptions
  readonly #conversation: Conversation
  readonly #callerSpeech = new CallerSpeech()
  #agent: AgentSetup
  #link: Link | undefined
  /** The connection in use. */
  #connection: LinkConnection | undefined
  /** The agent that the newest connection was set up for. */
  #agentSent: AgentSetup | undefined
  /** Why the connection is about to change. */
  #moving: 'going away' | 'another agent' | undefined
  /** Set while a turn has ended and its handle has not arrived. */
  #handleTimer: Timer | undefined
  /** Whether the newest connection was told that its first content is history. */
  #hasHistory = false
  #failed = false

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
    this.#agent = setup
    const { scope } = context
    const host = {
      name,
      asyncTools: options.abilities.tools === 'NON_BLOCKING',
      scope,
      stallTimeout,
      events,
      send: (message: ClientMessage) => this.#send(message),
      canSend: () => this.#connection !== undefined && this.#moving === undefined,
      fellSilent: () => this.#moveIfQuiet(),
    }
    this.#conversation = new Conversation(host, setup)
  }

  async open(): Promise<RealtimeModel> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── RealtimeModel ──

  push(frame: AudioFrame): void {
    const { samples } = frame
    if (samples.length === 0 || !this.#alive) return
    if (!this.#agent.takesTurns && !this.#conversation.listening) {
      this.#conversation.startListening()
      this.#send({ realtimeInput: { activityStart: {} } })
    }
    const data = Buffer.from(bytesFromSamples(samples)).toString('base64')
    const message: ClientMessage = { realtimeInput: { audio: { data, mimeType: 'audio/pcm;rate=16000' } } }
    this.#link?.sendAudio(JSON.stringify(message))
    // With manual turns, the service says nothing before the end of the turn.
    if (this.#callerSpeech.push(frame) && this.#agent.takesTurns) this.#link?.expectAnswer()
  }

  commit(): void {
    if (!this.#alive) return
    // A service that takes the turns can only be told that the audio pauses.
    if (this.#agent.takesTurns) return this.#send({ realtimeInput: { audioStreamEnd: true } })
    if (!this.#conversation.listening) return
    this.#send({ realtimeInput: { activityEnd: {} } })
    this.#conversation.commit()
  }

  respond(instructions?: string): void {
    if (!this.#alive) return
    this.#conversation.turns.request(instructions === undefined ? [] : [textOf('user', instructions)])
    this.#moveIfQuiet()
  }

  addText(text: string): void {
    if (this.#alive && text !== '') this.#conversation.turns.addContents([textOf('user', text)])
  }

  toolResult(id: string, output: string, failed: boolean): void {
    if (this.#alive) this.#conversation.turns.addResult(id, output, failed)
  }

  /** The service has no way to learn how much was heard. */
  interrupt(response: string): void {
    if (this.#alive) this.#conversation.turns.interrupt(response)
  }

  /** In place if the model can; otherwise on a new connection, which may resume with other instructions and tools. */
  update({ instructions, tools }: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    if (!this.#alive) return
    this.#agent = { ...this.#agent, instructions, tools }
    this.#changeAgent()
  }

  // ── Protocol ──

  opened(connection: LinkConnection): void {
    this.#agentSent = this.#agent
    const { handle, sinceHandle } = this.#conversation.memory
    this.#hasHistory = sinceHandle.length > 0
    const setup = setupOf(this.#setup, this.#agent, handle, this.#hasHistory)
    connection.send(JSON.stringify({ setup }))
  }

  message(data: Data, connection: LinkConnection): void {
    const message = receiveMessage(data, checkServerMessage, connection)
    if (!message) return undefined
    if (message.setupComplete) this.#ready(connection)
    if (message.sessionResumptionUpdate) this.#storeHandle(message.sessionResumptionUpdate)
    // Ignore a previous connection: its turns have ended.
    if (connection !== this.#connection) return undefined
    if (message.serverContent?.turnComplete) this.#startHandleTimer()
    this.#conversation.handle(message)
    if (this.#conversation.turns.expectsOutput) this.#link?.expectAnswer()
    if (message.goAway) this.#move('going away', durationOf(message.goAway.timeLeft) - GO_AWAY_MARGIN)
    return this.#moveIfQuiet()
  }

  lost(end: LinkEnd): void {
    this.#connection = undefined
    this.#moving = undefined
    this.#clearHandleTimer()
    const why = end.class === 'asked' ? 'the connection had to be replaced' : 'the connection broke'
    const error = new ProviderError(this.name, `${why} in the middle of an answer`, { retryable: true })
    this.#conversation.lost(error)
  }

  failed(error: LinkError): void {
    this.#failed = true
    this.#clearHandleTimer()
    this.#conversation.release()
    this.#events.failed(error)
  }

  classify(end: SocketEnd): EndClass | undefined {
    return classifyEnd(end, this.#moving === 'going away')
  }

  // ── connections ──

  /** The setup is complete: sends what the service does not know yet, and then the waiting requests. */
  #ready(connection: LinkConnection): void {
    const { memory, turns } = this.#conversation
    const { sinceHandle } = memory
    const owed = memory.awaitsAnswer && this.#agent.takesTurns && !turns.hasRequests
    const say = (content: ClientContent): void => connection.send(JSON.stringify({ clientContent: content }))
    // History is not answered, even if the user spoke last.
    if (this.#hasHistory) say({ turns: sinceHandle, turnComplete: true })
    if (owed) say({ turns: [PROMPT], turnComplete: true })
    this.#connection = connection
    connection.ready()
    if (owed) this.#link?.expectAnswer()
    // The agent may have changed since the setup was sent.
    if (this.#agentSent !== this.#agent) this.#changeAgent()
    turns.sendNext()
  }

  /** Stores a new handle. An update without one leaves the old handle valid. */
  #storeHandle({ resumable, newHandle }: ResumptionUpdate): void {
    if (!resumable || !newHandle) return
    this.#conversation.memory.setHandle(newHandle)
    this.#clearHandleTimer()
  }

  #startHandleTimer(): void {
    this.#clearHandleTimer()
    this.#handleTimer = this.#context.scope.after(HANDLE_TIMEOUT, `handle of '${this.name}'`, () => {
      this.#handleTimer = undefined
      this.#moveIfQuiet()
    })
  }

  #clearHandleTimer(): void {
    this.#handleTimer?.clear()
    this.#handleTimer = undefined
  }

  #changeAgent(): void {
    if (!this.#setup.abilities.contextUpdate) return this.#move('another agent', UPDATE_TIMEOUT)
    // Without a connection, the next one will be set up for the current agent.
    if (!this.#connection) return
    this.#agentSent = this.#agent
    this.#send({ contextUpdate: contextUpdateOf(this.#setup, this.#agent) })
  }

  /** Moves to another connection when the conversation is quiet, after `timeout` milliseconds at the latest. */
  #move(why: 'going away' | 'another agent', timeout: number): void {
    // Without a connection there is nothing to leave: the next one will be set up for the current agent.
    if (!this.#connection) return
    this.#moving ??= why
    this.#connection.rollOver(timeout)
    this.#moveIfQuiet()
  }

  #moveIfQuiet(): void {
    if (this.#moving && !this.#handleTimer && this.#conversation.quiet) this.#connection?.rollOver()
  }

  #handleWhileClosing(data: Data): false {
    const message = readMessage(data, checkServerMessage)
    if (message) this.#conversation.handleWhileClosing(message)
    return false
  }

  get #alive(): boolean {
    return !this.#failed && this.#context.scope.state === 'live'
  }

  #send(message: ClientMessage): void {
    this.#link?.send(JSON.stringify(message))
    if (isQuestion(message)) this.#link?.expectAnswer()
  }
}

/** Whether the service answers the message. */
function isQuestion(message: ClientMessage): boolean {
  if ('clientContent' in message) return message.clientContent.turnComplete
  return 'toolResponse' in message || ('realtimeInput' in message && 'activityEnd' in message.realtimeInput)
}

/** Milliseconds of a duration in the service's JSON: `10s`, `9.5s`. */
function durationOf(text: string | undefined): number {
  const seconds = Number.parseFloat(text ?? '')
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : 0
}
