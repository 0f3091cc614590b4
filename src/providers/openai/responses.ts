import type { Usage } from '../../parts/index.ts'
import type { Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { Answer, type AnswerHost } from './answer.ts'
import { Asks } from './asks.ts'
import type { ApiError, ClientEvent, ResponseEvent, ServerResponse, ServerUsage } from './events.ts'

/** What the answers need of the model. */
export interface ResponsesHost extends AnswerHost {
  readonly name: string
  /** Whether what is sent goes out now. */
  readonly connected: boolean
  send(event: ClientEvent): void
  /** The instructions of the agent, which those of an ask are added to. */
  instructions(): string
  /** Calls back once, after so many milliseconds. */
  after(ms: number, callback: () => void): Timer
  warn(fields: object, message: string): void
}

/** How long an ask may go unanswered, and a cancelled answer may go on, in milliseconds. Nothing may block the next. */
const ANSWERED_WITHIN = 10_000
const CANCELLED_WITHIN = 5_000
/** When to ask again for what was refused though nothing seems to be in the way. */
const AGAIN = 250
/** Answers that can be cut short. More than these are never in somebody's ear. */
const MOST_ANSWERS = 32

/**
 * The answers of the model, one at a time. Asks wait for the one in the making; one that the model begins by itself, since
 * the user has finished, may come between an ask and its answer.
 *
 *   respond ─▶ asks ─▶ response.create, metadata.ask ─▶ response.created ─▶ items, sound, words ─▶ response.done
 *                ▲               │ another one is active                                                 │
 *                └───────────────┴──────────────── next ◀────────────────────────────────────────────────┘
 */
export class Responses {
  readonly #host: ResponsesHost
  readonly #asks = new Asks()
  readonly #answers: Answer[] = []
  /** The one that the service is making. */
  #active: Answer | undefined
  /** Set while an ask is unanswered, while a cancelled answer goes on, and during a pause before the next ask. */
  #unanswered: Timer | undefined
  #ending: Timer | undefined
  #pause: Timer | undefined

  constructor(host: ResponsesHost) {
    this.#host = host
  }

  /** Nothing is in the making, and nothing was asked for. */
  get quiet(): boolean {
    return !this.#active && this.#asks.empty
  }

  // ── what is asked ──

  ask(instructions: string | undefined): void {
    this.#asks.add(instructions)
    this.next()
  }

  /** Sends the next ask, if there is one and its time has come. */
  next(): void {
    if (this.#active || this.#pause || this.#asks.sent || !this.#host.connected) return
    const ask = this.#asks.next()
    if (!ask) return this.#refuseTooMany()
    const { id, instructions } = ask
    // Those of a response replace those of the session.
    const all = instructions === undefined ? {} : { instructions: this.#withAgent(instructions) }
    this.#host.send({ type: 'response.create', event_id: id, response: { ...all, metadata: { ask: id } } })
    this.#unanswered = this.#host.after(ANSWERED_WITHIN, () => this.#refuse('it was not answered'))
    return undefined
  }

  /** Stops an answer if it is in the making, and forgets what was not heard of it. */
  interrupt(name: string, heard: number): void {
    const answer = this.#answers.find((each) => each.name === name)
    if (!answer) return
    const running = answer === this.#active
    if (running && !answer.over) this.#cancel(answer)
    answer.cutTo(heard, running)
    answer.end('cancelled')
  }

  #withAgent(instructions: string): string {
    return [this.#host.instructions(), instructions].filter((each) => each.trim() !== '').join('\n\n')
  }

  #cancel(answer: Answer): void {
    this.#host.attempt({ type: 'response.cancel', response_id: answer.id })
    this.#ending = this.#host.after(CANCELLED_WITHIN, () => {
      if (this.#active === answer) this.#active = undefined
      this.next()
    })
  }

  // ── what the service tells ──

  heard(event: ResponseEvent): void {
    if (event.type === 'response.created') this.#created(event.response ?? {})
    else if (event.type === 'response.done') this.#done(event.response ?? {})
    else this.#answers.find(({ id }) => id === event.response_id)?.heard(event)
  }

  /** Returns whether the error was about an ask. */
  refused({ event_id, code, message }: ApiError): boolean {
    const { sent } = this.#asks
    const taken = code === 'conversation_already_has_active_response'
    if (!sent || (event_id ? event_id !== sent.id : !taken)) return false
    if (taken && this.#asks.giveWay()) this.#waitForActive()
    else this.#refuse(message)
    return true
  }

  /** The connection is gone. An answer that nobody has heard anything of is asked for again; others cannot go on. */
  lost(): void {
    const active = this.#active
    this.stop()
    this.#asks.lost()
    if (!active || active.over) return
    if (active.audible) {
      const broken = 'the connection broke in the middle of an answer'
      return active.end('failed', new ProviderError(this.#host.name, broken, { retryable: true }))
    }
    active.forgetBeginning()
    return this.#asks.again(active)
  }

  /** Nothing is in the making any more, and nothing is waited for. */
  stop(): void {
    this.#active = undefined
    for (const timer of [this.#unanswered, this.#ending, this.#pause]) timer?.clear()
    this.#pause = undefined
  }

  #created({ id, metadata }: ServerResponse): void {
    if (id === undefined) return
    const named = metadata?.['ask']
    const ask = named !== undefined && named === this.#asks.sent?.id ? this.#asks.take() : undefined
    if (ask) this.#unanswered?.clear()
    const answer = ask?.answer ?? this.#keep(new Answer(this.#host, id, ask?.instructions))
    answer.id = id
    this.#active = answer
    // Asked for on another connection, or taken back since: nobody waits for it.
    if (named !== undefined && !ask) answer.ignore()
    if (answer.over) this.#cancel(answer)
    else if (!ask?.answer) this.#host.events.responseStarted(answer.name, ask !== undefined)
  }

  #done(response: ServerResponse): void {
    const answer = this.#answers.find(({ id }) => id === response.id)
    if (answer && answer === this.#active) {
      this.#active = undefined
      this.#ending?.clear()
    }
    if (response.usage) this.#host.events.usage(usageOf(response.usage))
    if (answer && !answer.over) this.#ended(answer, response)
    this.next()
  }

  #ended(answer: Answer, { status, status_details: details = {} }: ServerResponse): void {
    if (status === 'cancelled') return answer.end('cancelled')
    if (status === 'incomplete')
      this.#host.warn({ response: answer.id, reason: details.reason }, 'the service has cut an answer short')
    if (status !== 'failed') return answer.end('completed')
    const { code, type = 'it does not say why' } = details.error ?? {}
    return answer.end('failed', new ProviderError(this.#host.name, code ?? type))
  }

  // ── asks that come to nothing ──

  /** The ask that is on its way is not answered. */
  #refuse(why?: string): void {
    this.#unanswered?.clear()
    const ask = this.#asks.take()
    if (ask) this.#fail(ask.id, why, ask.answer)
    this.next()
  }

  #refuseTooMany(): void {
    for (let ask = this.#asks.nextOfTooMany(); ask !== undefined; ask = this.#asks.nextOfTooMany())
      this.#fail(ask, 'too many answers were asked for')
  }

  /** There has to be an answer all the same. */
  #fail(ask: string, why = 'it does not say why', begun?: Answer): void {
    const { events, name } = this.#host
    if (!begun) events.responseStarted(ask, true)
    const answer = begun ?? new Answer(this.#host, ask)
    answer.end('failed', new ProviderError(name, why))
  }

  /** The ask is sent again when the active answer is over. One that we have not heard of may be over already. */
  #waitForActive(): void {
    this.#unanswered?.clear()
    if (this.#active || this.#pause) return
    this.#pause = this.#host.after(AGAIN, () => {
      this.#pause = undefined
      this.next()
    })
  }

  #keep(answer: Answer): Answer {
    this.#answers.push(answer)
    if (this.#answers.length > MOST_ANSWERS) this.#answers.shift()
    return answer
  }
}

function usageOf({ input_tokens, output_tokens, input_token_details: details }: ServerUsage): Usage {
  return {
    ...(input_tokens === undefined ? {} : { inputTokens: input_tokens }),
    ...(output_tokens === undefined ? {} : { outputTokens: output_tokens }),
    ...(details?.cached_tokens === undefined ? {} : { cachedTokens: details.cached_tokens }),
  }
}
