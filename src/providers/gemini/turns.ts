import { durationOf, pcm, type SampleRate } from '../../audio/index.ts'
import { PartTimeoutError, type RealtimeEvents } from '../../parts/index.ts'
import type { Scope, Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { answerProblem } from '../sound-limit.ts'
import { AudioDecoder } from '../vendor-message.ts'
import { Calls } from './calls.ts'
import type { ClientMessage, Content, FunctionCall } from './messages.ts'
import { RequestQueue, type ResponseRequest } from './request-queue.ts'

/** The sample rate of the service's audio. */
export const outputRate = 24_000 satisfies SampleRate

/** Calls made together may arrive in several messages: their response ends this long after the last one. */
const CALL_GAP = 20

/** Makes the model speak without anything new to answer: the service rejects an empty turn. */
export const PROMPT: Content = { role: 'user', parts: [{ text: '.' }] }

export interface TurnsHost {
  readonly name: string
  /** Whether the model does not wait for the results of its tools. */
  readonly asyncTools: boolean
  readonly scope: Scope<string>
  readonly stallTimeout: number
  readonly events: RealtimeEvents
  send(message: ClientMessage): void
  /** Whether requests may be sent now: not while the connection is about to change. */
  canSend(): boolean
  /** Whether content may be sent now: while the user speaks, it would interrupt the answer that the user waits for. */
  userIsSilent(): boolean
  /** The model starts to answer. `unprompted` means that it starts a turn without a request. */
  answerStarted(unprompted: boolean): void
  /** Adds to the conversation that a new connection continues. */
  remember(contents: readonly Content[]): void
  /** Receives what the model says, piece by piece. */
  modelText(text: string): void
}

/** A turn of the service, from its first output to `turnComplete`. */
interface Turn {
  /** The running response. There is none while the model waits for tool results or after it generated everything. */
  response: string | undefined
  lastResponse: string | undefined
  generated: boolean
  /** The turn was interrupted: its further output is ignored. */
  abandoned: boolean
  readonly decoder: AudioDecoder
  /** Milliseconds of audio and characters of text received. */
  sound: number
  characters: number
}

type How = 'completed' | 'cancelled' | 'failed'

/**
 * The model's responses, one after the other. A turn of the service is one response, or several with tools in between:
 *
 *   request, or the user finished ─▶ output ─▶ generationComplete ─▶ … ─▶ turnComplete
 *                                      ▲  └──▶ toolCall: this response ends
 *                                      └────── toolResponse, once the next response is requested
 *
 * Content sent while the service generates interrupts it. Everything therefore waits for the end of the turn: when, by
 * the service's own estimate, the answer has been played. Tool results wait for the next request, because the service
 * always answers them.
 */
export class Turns {
  readonly #host: TurnsHost
  readonly #queue = new RequestQueue()
  readonly #calls = new Calls()
  #turn: Turn | undefined
  #responses = 0
  /** Runs for `CALL_GAP` after a tool call. */
  #callTimer: Timer | undefined
  #stallTimer: Timer | undefined
  /** Runs until content that no request follows is sent. */
  #contentTimer: Timer | undefined

  /** `orphans` are calls of an earlier model that are still running. */
  constructor(host: TurnsHost, orphans: readonly FunctionCall[]) {
    this.#host = host
    for (const call of orphans) this.#calls.addOrphan(call)
  }

  /** Whether the service is in the middle of a turn, or assumes that its answer is still playing. */
  get answering(): boolean {
    return this.#turn !== undefined && !this.#turn.abandoned
  }

  /** Whether the service is idle, or only waits for the next request. */
  get quiet(): boolean {
    if (this.#queue.sent || this.#turn?.response !== undefined) return false
    return !this.answering || this.#calls.waitingFor === 'request'
  }

  /** Whether the service is working on an answer and has not sent all of it. */
  get expectsOutput(): boolean {
    return this.#queue.sent || this.#turn?.response !== undefined
  }

  /** Whether a requested response has not started yet. */
  get hasRequests(): boolean {
    return this.#queue.first !== undefined
  }

  // ── requests of the session ──

  request(turns: readonly Content[]): void {
    this.#queue.addRequest(turns)
    this.sendNext()
  }

  /** Sent with the request that follows, if one follows at once: a turn that is left open may delay the user's. */
  addContents(contents: readonly Content[]): void {
    this.#queue.addContents(contents)
    this.#contentTimer?.clear()
    this.#contentTimer = this.#after(0, 'content', () => this.sendNext())
  }

  committed(): void {
    this.#queue.committed()
  }

  addResult(id: string, output: string, failed: boolean): void {
    this.addContents(this.#calls.addResult(id, output, failed))
  }

  /**
   * Emits nothing more of this response. The service has no message to stop it: the user's voice does, and the next
   * request. Nor can it be told how much was heard: the model assumes that all it sent was heard, and a response that has
   * ended cannot be changed.
   */
  interrupt(response: string): void {
    const turn = this.#turn
    if (!turn || turn.abandoned || turn.lastResponse !== response) return
    // The response has ended and its tools are running. Tools are not interrupted.
    if (turn.response === undefined && !turn.generated) return
    this.#endResponse('cancelled')
    this.#abandon(turn)
  }

  /** Sends the next request or content if the service can take it now. */
  sendNext(): void {
    const { first, sent, hasContents } = this.#queue
    if (sent || this.#turn?.response !== undefined || !this.#host.canSend()) return
    const { waitingFor } = this.#calls
    if (waitingFor === 'results' || (!waitingFor && this.answering)) return
    if (first) this.#sendRequest(first, waitingFor !== undefined)
    else if (hasContents && !waitingFor && this.#host.userIsSilent()) this.#sendContents([], false)
  }

  // ── messages of the service ──

  audio(base64: string): void {
    const response = this.#openResponse()
    const turn = this.#turn
    if (response === undefined || !turn) return
    const frame = turn.decoder.push(base64)
    turn.sound += durationOf(frame)
    if (!this.#failIfEndless(turn)) this.#host.events.audio(response, frame)
  }

  text(text: string): void {
    // A transcript that lags behind its answer does not start another one.
    const response = this.#turn?.generated ? undefined : this.#openResponse()
    const turn = this.#turn
    if (response === undefined || !turn) return
    turn.characters += text.length
    if (this.#failIfEndless(turn)) return
    this.#host.modelText(text)
    this.#host.events.text(response, text)
  }

  call(calls: readonly FunctionCall[]): void {
    const response = this.#openResponse()
    if (response === undefined) return
    for (const call of calls) {
      this.#calls.add(call)
      const { id, name, args } = call
      this.#host.events.toolCall(response, { id, name, input: JSON.stringify(args) })
    }
    this.#stallTimer?.clear()
    this.#callTimer?.clear()
    this.#callTimer = this.#after(CALL_GAP, 'other calls', () => {
      this.#endResponse('completed')
      this.sendNext()
    })
  }

  /** The model cancelled calls. Results that already exist are sent as content. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) {
      const contents = this.#calls.cancel(id)
      if (contents?.length === 0) this.#host.events.toolCancelled(id)
      else if (contents) this.#queue.addContents(contents)
    }
  }

  interrupted(): void {
    const turn = this.#turn
    const { first, sent } = this.#queue
    if (turn?.abandoned) return
    if (sent && first) first.interrupted = true
    else if (turn) {
      this.#endResponse('cancelled')
      turn.abandoned = true
    }
  }

  generated(): void {
    if (!this.#turn) return
    this.#endResponse('completed')
    this.#turn.generated = true
  }

  /** The turn has ended. `failure` is set if the service reported one. */
  completed(failure: string | undefined): void {
    const turn = this.#turn
    const error = failure === undefined ? undefined : new ProviderError(this.#host.name, failure)
    if (turn?.response !== undefined) this.#endResponse(error ? 'failed' : 'completed', error)
    else if (this.#queue.sent && !turn?.abandoned) this.#answerWithNothing(error)
    this.#turn = undefined
    this.sendNext()
  }

  /** The connection was lost. The running response fails; requests that had no output are sent again. */
  lost(error: unknown): void {
    this.#endResponse('failed', error)
    this.#stallTimer?.clear()
    this.#turn = undefined
    this.#queue.lost()
    this.#host.remember(this.#calls.lost())
  }

  release(): void {
    for (const timer of [this.#stallTimer, this.#callTimer, this.#contentTimer]) timer?.clear()
  }

  // ── messages to the service ──

  #sendRequest(request: ResponseRequest, resultsAwaited: boolean): void {
    this.#queue.markSent()
    this.#startStallTimer()
    if (resultsAwaited && request.turns.length === 0) return this.#sendResults()
    // Content makes the service cancel its calls, so their results are sent as content, too.
    if (resultsAwaited && this.#turn) this.#turn.abandoned = true
    this.#queue.addContents(this.#calls.takeAnswered().flatMap(({ contents }) => contents))
    // The service would answer the user only after the answer that was interrupted.
    if (!request.automatic || this.#turn?.abandoned) this.#sendContents(request.turns, true)
  }

  #sendResults(): void {
    const answered = this.#calls.takeAnswered()
    this.#host.remember(answered.flatMap(({ contents }) => contents))
    const scheduling = this.#host.asyncTools ? ({ scheduling: 'WHEN_IDLE' } as const) : {}
    const functionResponses = answered.map(({ result }) => ({ ...result, ...scheduling }))
    this.#host.send({ toolResponse: { functionResponses } })
  }

  /** `turns` are remembered only once they are answered, because until then they may be sent again. */
  #sendContents(turns: readonly Content[], turnComplete: boolean): void {
    const contents = this.#queue.takeContents()
    this.#host.remember(contents)
    const all = [...contents, ...turns]
    this.#host.send({ clientContent: { turns: all.length > 0 ? all : [PROMPT], turnComplete } })
  }

  /** Ignores the rest of the turn, so that the next request can be sent, which interrupts it. */
  #abandon(turn: Turn): void {
    turn.abandoned = true
    this.sendNext()
  }

  // ── one response ──

  /** Returns the response that output belongs to, and starts it if needed. Undefined if the output is to be ignored. */
  #openResponse(): string | undefined {
    const turn = this.#turn ?? newTurn()
    if (turn.abandoned) return undefined
    this.#startStallTimer()
    if (turn.response !== undefined) return turn.response
    const continued = this.#turn !== undefined
    this.#turn = turn
    const request = this.#queue.responseStarted()
    turn.generated = false
    turn.response = turn.lastResponse = this.#nextId()
    this.#host.answerStarted(!request && !continued)
    if (request) this.#host.remember(request.turns)
    this.#host.events.responseStarted(turn.response, request !== undefined)
    // Undefined if a listener has interrupted it.
    return turn.response
  }

  /** Stops an answer that does not end. Returns whether it did. */
  #failIfEndless(turn: Turn): boolean {
    const problem = answerProblem(this.#host.name, turn.sound, turn.characters)
    if (!problem) return false
    this.#endResponse('failed', problem)
    this.#abandon(turn)
    return true
  }

  #endResponse(how: How, error?: unknown): void {
    const turn = this.#turn
    const response = turn?.response
    if (!turn || response === undefined) return
    turn.response = undefined
    this.#stallTimer?.clear()
    this.#callTimer?.clear()
    this.#emitEnd(response, how, error)
  }

  /** Emits a response without output for the first request. */
  #answerWithNothing(error: unknown): void {
    const request = this.#queue.responseStarted()
    this.#stallTimer?.clear()
    const response = this.#nextId()
    this.#host.events.responseStarted(response, true)
    this.#emitEnd(response, error ? 'failed' : request?.interrupted ? 'cancelled' : 'completed', error)
  }

  #emitEnd(response: string, how: How, error: unknown): void {
    if (how === 'failed') this.#host.events.responseEnded(response, how, error)
    else this.#host.events.responseEnded(response, how)
  }

  #nextId(): string {
    return `answer-${++this.#responses}`
  }

  #startStallTimer(): void {
    const { name, stallTimeout } = this.#host
    this.#stallTimer?.clear()
    this.#stallTimer = this.#after(stallTimeout, 'answer', () => {
      const error = new PartTimeoutError(`the answer of '${name}'`, stallTimeout)
      if (this.#turn?.response === undefined) this.#answerWithNothing(error)
      else this.#endResponse('failed', error)
      // Late output of this turn is ignored.
      this.#abandon((this.#turn ??= newTurn()))
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer | undefined {
    const { scope, name } = this.#host
    return scope.state === 'live' ? scope.after(ms, `${what} of '${name}'`, callback) : undefined
  }
}

const newTurn = (): Turn => ({
  response: undefined,
  lastResponse: undefined,
  generated: false,
  abandoned: false,
  decoder: new AudioDecoder(pcm(outputRate)),
  sound: 0,
  characters: 0,
})
