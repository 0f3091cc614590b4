import type { Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { responseFailure } from './response-failure.ts'
import { Answer, type AnswerHost, type Wish } from './answer.ts'
import type { ApiError, ClientEvent, DialectEvent, ResponseEvent, ServerResponse } from './events.ts'
import { RequestQueue, type ResponseRequest } from './request-queue.ts'
import { usageOf } from './usage.ts'

export interface ResponsesHost extends AnswerHost {
  /** Whether events can be sent now. */
  connected(): boolean
  send(event: ClientEvent | DialectEvent): void
  /** How long a cancelled response may go on before the next request is sent. */
  readonly cancelTimeout: number
  /** A cancelled response has not ended in time. */
  gaveUp(): void
  /** The item that makes the service speak a text word for word. */
  sayItem(words: string): object
  /** The agent's instructions, which precede those of a request. */
  instructions(): string
  after(ms: number, callback: () => void): Timer
  warn(fields: object, message: string): void
}

/** How long the service may take to start a requested response. */
const START_TIMEOUT = 10_000
/** When to send a request again that was refused although no response seems to be active. */
const RETRY_DELAY = 250
/** Answers that can still be truncated. Older ones have long been played. */
const MAX_ANSWERS = 32

/**
 * The model's answers, one at a time. Requests wait for the active one. A response that the model starts on its own,
 * because the user has finished, may come between a request and its response.
 *
 *   respond ─▶ queue ─▶ response.create, metadata.request ─▶ response.created ─▶ items, audio, text ─▶ response.done
 *                ▲               │ another one is active                                                  │
 *                └───────────────┴─────────────── sendNext ◀──────────────────────────────────────────────┘
 */
export class Responses {
  readonly #host: ResponsesHost
  readonly #queue = new RequestQueue()
  readonly #answers: Answer[] = []
  /** The answer that the service is generating. */
  #active: Answer | undefined
  /** Runs while a sent request has no response. */
  #startTimer: Timer | undefined
  /** Runs while a cancelled response goes on. */
  #cancelTimer: Timer | undefined
  /** Runs before a refused request is sent again. */
  #retryTimer: Timer | undefined

  constructor(host: ResponsesHost) {
    this.#host = host
  }

  /** Whether the service is generating an answer. */
  get active(): boolean {
    return this.#active !== undefined
  }

  /** Whether the answer that the service is generating has output. */
  get speaking(): boolean {
    return this.#active?.hasOutput === true
  }

  /** Whether no response is active or requested. */
  get quiet(): boolean {
    return !this.#active && this.#queue.empty
  }

  // ── requests of the session ──

  request(wish: Wish): void {
    this.#queue.add(wish)
    this.sendNext()
  }

  /** Sends the next request if the service can take it now. */
  sendNext(): void {
    if (this.#active || this.#retryTimer || this.#queue.sent || !this.#host.connected()) return
    const request = this.#queue.next()
    if (!request) return this.#failOverflow()
    this.#host.send(this.#eventOf(request))
    this.#startTimer = this.#host.after(START_TIMEOUT, () =>
      this.#failSent(`it did not answer within ${START_TIMEOUT} ms`),
    )
    return undefined
  }

  /** Stops an answer if it is active, and forgets its unheard part. */
  interrupt(name: string, heard: number): void {
    const answer = this.#answers.find((each) => each.name === name)
    if (!answer) return
    const running = answer === this.#active
    if (running && !answer.ended) this.#cancel(answer)
    answer.truncate(heard, running)
    answer.end('cancelled')
  }

  #eventOf({ id, wish: { instructions, words } }: ResponseRequest): ClientEvent | DialectEvent {
    if (words !== undefined)
      return { type: 'conversation.item.create', event_id: id, item: this.#host.sayItem(words) }
    // The instructions of a response replace the session's, so they have to repeat the agent's.
    const own = instructions === undefined ? {} : { instructions: this.#withAgent(instructions) }
    return { type: 'response.create', event_id: id, response: { ...own, metadata: { request: id } } }
  }

  #withAgent(instructions: string): string {
    return [this.#host.instructions(), instructions].filter((each) => each.trim() !== '').join('\n\n')
  }

  #cancel(answer: Answer): void {
    this.#host.attempt({ type: 'response.cancel', response_id: answer.id })
    this.#cancelTimer = this.#host.after(this.#host.cancelTimeout, () => {
      if (this.#active === answer) {
        this.#active = undefined
        this.#host.gaveUp()
      }
      this.sendNext()
    })
  }

  // ── events of the service ──

  handle(event: ResponseEvent): void {
    if (event.type === 'response.created') this.#created(event.response ?? {})
    else if (event.type === 'response.done') this.#done(event.response ?? {})
    else this.#answers.find(({ id }) => id === event.response_id)?.handle(event)
  }

  /** Handles an error about a request. Returns false for any other error. */
  handleError({ event_id, code, message }: ApiError): boolean {
    const { sent } = this.#queue
    const otherActive = code === 'conversation_already_has_active_response'
    if (!sent || (event_id ? event_id !== sent.id : !otherActive)) return false
    if (otherActive && this.#queue.postpone()) this.#retryLater()
    else this.#failSent(message)
    return true
  }

  /** The connection was lost. An answer without output is requested again; one with output fails. */
  lost(): void {
    const active = this.#active
    this.stop()
    this.#queue.lost()
    if (!active || active.ended) return
    if (active.hasOutput) {
      const broken = 'the connection broke in the middle of an answer'
      return active.end('failed', new ProviderError(this.#host.name, broken, { retryable: true }))
    }
    active.discardItems()
    return this.#queue.retry(active)
  }

  /** Forgets the active answer and clears all timers. */
  stop(): void {
    this.#active = undefined
    for (const timer of [this.#startTimer, this.#cancelTimer, this.#retryTimer]) timer?.clear()
    this.#retryTimer = undefined
  }

  #created({ id, metadata }: ServerResponse): void {
    // A repeated event would begin an answer that never ends.
    if (id === undefined || this.#answers.some((each) => each.id === id)) return
    const requestId = metadata?.['request']
    const { sent } = this.#queue
    // Metadata come back only with `response.create`: without any, these are the words that the service was to say.
    const isSent = requestId === undefined ? sent?.wish.words !== undefined : requestId === sent?.id
    const request = isSent ? this.#queue.takeSent() : undefined
    if (request) this.#startTimer?.clear()
    this.#replaceActive()
    const answer = request?.answer ?? this.#track(new Answer(this.#host, id, request?.wish))
    answer.id = id
    this.#active = answer
    // The request was made on another connection or has failed meanwhile.
    if (requestId !== undefined && !request) answer.ignore()
    if (answer.ended) this.#cancel(answer)
    else if (!request?.answer) this.#host.events.responseStarted(answer.name, request !== undefined)
  }

  /** A new response replaces one that the service has left without an end, because the user spoke. */
  #replaceActive(): void {
    const left = this.#active
    this.#active = undefined
    this.#cancelTimer?.clear()
    left?.end('cancelled')
  }

  #done(response: ServerResponse): void {
    const answer = this.#answers.find(({ id }) => id === response.id)
    if (answer && answer === this.#active) {
      this.#active = undefined
      this.#cancelTimer?.clear()
    }
    if (response.usage) this.#host.events.usage(usageOf(response.usage))
    if (answer && !answer.ended) this.#end(answer, response)
    this.sendNext()
  }

  #end(answer: Answer, { status, status_details: details = {} }: ServerResponse): void {
    if (status === 'cancelled') return answer.end('cancelled')
    if (status === 'incomplete')
      this.#host.warn({ response: answer.id, reason: details.reason }, 'the service cut an answer short')
    if (status !== 'failed') return answer.end('completed')
    return answer.end('failed', responseFailure(this.#host.name, details.error))
  }

  // ── requests that fail ──

  /** Fails the sent request. */
  #failSent(why?: string): void {
    this.#startTimer?.clear()
    const request = this.#queue.takeSent()
    if (request) this.#fail(request.id, why, request.answer)
    this.sendNext()
  }

  #failOverflow(): void {
    const queue = this.#queue
    for (let id = queue.nextOverflow(); id !== undefined; id = queue.nextOverflow())
      this.#fail(id, 'too many answers were requested at once')
  }

  /** Every request gets an answer, even if it is only a failure. */
  #fail(request: string, why?: string, started?: Answer): void {
    const { events, name } = this.#host
    if (!started) events.responseStarted(request, true)
    const answer = started ?? new Answer(this.#host, request)
    answer.end('failed', new ProviderError(name, why))
  }

  /** Sends the request again when the active answer ends, or after a delay if that answer is unknown here. */
  #retryLater(): void {
    this.#startTimer?.clear()
    if (this.#active || this.#retryTimer) return
    this.#retryTimer = this.#host.after(RETRY_DELAY, () => {
      this.#retryTimer = undefined
      this.sendNext()
    })
  }

  #track(answer: Answer): Answer {
    this.#answers.push(answer)
    if (this.#answers.length > MAX_ANSWERS) this.#answers.shift()
    return answer
  }
}
