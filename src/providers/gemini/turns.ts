import type { SampleRate } from '../../audio/index.ts'
import { PartTimeoutError, type RealtimeEvents } from '../../parts/index.ts'
import type { Scope, Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { Asks, type Ask } from './asks.ts'
import { Calls } from './calls.ts'
import type { ClientMessage, Content, FunctionCall } from './messages.ts'

/** What the service speaks at. */
export const outputRate = 24_000 satisfies SampleRate

/** Calls that belong together may come in several messages: the answer that makes them is over so much later. */
const TOGETHER = 20

export interface TurnsHost {
  readonly name: string
  readonly scope: Scope<string>
  readonly stallTimeout: number
  readonly events: RealtimeEvents
  send(message: ClientMessage): void
  /** Whether the service may be asked something now: it may not while the connection is about to change. */
  open(): boolean
  /** Whether nobody speaks: content would interrupt the answer that the user waits for. */
  calm(): boolean
  /** The model begins to answer; `unasked` if it begins a turn that nobody has asked for. */
  begins(unasked: boolean): void
  /** It is part of the conversation from here on. */
  remember(contents: readonly Content[]): void
  /** The next words of the model. */
  said(words: string): void
}

/** A turn of the service, from its first output to `turnComplete`. */
interface Turn {
  /** The answer in the making. There is none while the model waits for results, or has generated everything. */
  response: string | undefined
  /** The last one there was. */
  last: string | undefined
  generated: boolean
  /** It was interrupted: nothing of it is told any more. */
  left: boolean
}

type How = 'completed' | 'cancelled' | 'failed'

/**
 * The answers of the model, one after the other. A turn of the service is one answer, or several with tools between:
 *
 *   asked, or the user has finished ─▶ output ─▶ generationComplete ─▶ … ─▶ turnComplete
 *                                        ▲  └──▶ toolCall: this answer is over
 *                                        └────── toolResponse: the next one was asked for
 *
 * Content that is sent while the service generates interrupts it. So everything waits for the end of the turn: when the
 * answer has sounded, as far as the service can know. Results wait for the ask that wants them, because the service
 * answers them by itself, wanted or not.
 */
export class Turns {
  readonly #host: TurnsHost
  readonly #asks = new Asks()
  readonly #calls = new Calls()
  #turn: Turn | undefined
  #count = 0
  #ending: Timer | undefined
  #stall: Timer | undefined

  constructor(host: TurnsHost) {
    this.#host = host
  }

  /** The service is in the middle of a turn, or assumes that what it said is still heard. */
  get answering(): boolean {
    return this.#turn !== undefined && !this.#turn.left
  }

  /** The service does nothing, or waits for us alone. */
  get quiet(): boolean {
    if (this.#asks.sent || this.#turn?.response !== undefined) return false
    return !this.answering || this.#calls.waiting === 'for an ask'
  }

  /** Something is asked for, and has not begun. */
  get asked(): boolean {
    return this.#asks.first !== undefined
  }

  // ── what the session wants ──

  ask(turns: readonly Content[]): void {
    this.#asks.ask(turns)
    this.next()
  }

  add(contents: readonly Content[]): void {
    this.#asks.add(contents)
    this.next()
  }

  committed(): void {
    this.#asks.committed()
  }

  result(id: string, output: string, failed: boolean): void {
    this.add(this.#calls.result(id, output, failed))
  }

  /**
   * Nothing more of this answer is told, and the service is made to stop. It has no message for that alone: any content
   * does it, also without words. Nor has it one for how much was heard: the model believes that all it has sent was, and
   * nothing can be done about an answer that is over.
   */
  interrupt(response: string): void {
    const turn = this.#turn
    if (!turn || turn.left || turn.last !== response) return
    // It is over, and its tools are at work: those are not interrupted.
    if (turn.response === undefined && !turn.generated) return
    this.#end('cancelled')
    this.#leave(turn)
  }

  /** Tells the service what waits for it, if this is the moment. */
  next(): void {
    const { first, sent, added } = this.#asks
    if (sent || this.#turn?.response !== undefined || !this.#host.open()) return
    const { waiting } = this.#calls
    if (waiting === 'for results' || (!waiting && this.answering)) return
    if (first) this.#send(first, waiting !== undefined)
    else if (added && !waiting && this.#host.calm()) this.#content([], false)
  }

  // ── what the service tells ──

  audio(samples: Int16Array): void {
    const response = this.#begin()
    if (response !== undefined) this.#host.events.audio(response, { samples, sampleRate: outputRate })
  }

  text(text: string): void {
    // A transcription that lags behind its answer begins no other.
    const response = this.#turn?.generated ? undefined : this.#begin()
    if (response === undefined) return
    this.#host.said(text)
    this.#host.events.text(response, text)
  }

  call(calls: readonly FunctionCall[]): void {
    const response = this.#begin()
    if (response === undefined) return
    for (const call of calls) {
      this.#calls.add(call)
      const { id, name, args } = call
      this.#host.events.toolCall(response, { id, name, input: JSON.stringify(args) })
    }
    this.#stall?.clear()
    this.#ending?.clear()
    this.#ending = this.#after(TOGETHER, 'other calls', () => {
      this.#end('completed')
      this.next()
    })
  }

  /** The model has taken calls back. What was done was done: it learns of that as of anything else. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) {
      const done = this.#calls.cancel(id)
      if (done?.length === 0) this.#host.events.toolCancelled(id)
      else if (done) this.#asks.add(done)
    }
  }

  interrupted(): void {
    const turn = this.#turn
    const { first, sent } = this.#asks
    if (turn?.left) return
    if (sent && first) first.interrupted = true
    else if (turn) {
      this.#end('cancelled')
      turn.left = true
    }
  }

  generated(): void {
    if (!this.#turn) return
    this.#end('completed')
    this.#turn.generated = true
  }

  /** The turn is over; `reason` if the service says that it went wrong. */
  completed(reason: string | undefined): void {
    const turn = this.#turn
    const error = reason === undefined ? undefined : new ProviderError(this.#host.name, reason)
    if (turn?.response !== undefined) this.#end(error ? 'failed' : 'completed', error)
    else if (this.#asks.sent && !turn?.left) this.#refuse(error)
    this.#turn = undefined
    this.next()
  }

  /** The connection is gone. What has begun cannot go on; what was only asked for is asked again. */
  lost(error: unknown): void {
    this.#end('failed', error)
    this.#stall?.clear()
    this.#turn = undefined
    this.#asks.lost()
    this.#host.remember(this.#calls.lost())
  }

  /** Nothing is told any more. */
  release(): void {
    this.#stall?.clear()
    this.#ending?.clear()
  }

  // ── telling the service ──

  #send(ask: Ask, results: boolean): void {
    this.#asks.send()
    this.#watch()
    if (results && ask.turns.length === 0) return this.#results()
    // It takes its calls back when it is told something else: their results are told with that.
    if (results && this.#turn) this.#turn.left = true
    this.#asks.add(this.#calls.takeResults().flatMap(({ contents }) => contents))
    if (!ask.owed) this.#content(ask.turns, true)
  }

  #results(): void {
    const done = this.#calls.takeResults()
    this.#host.remember(done.flatMap(({ contents }) => contents))
    this.#host.send({ toolResponse: { functionResponses: done.map(({ result }) => result) } })
  }

  /** What is asked with `turns` is remembered when it is answered: until then it may be asked again. */
  #content(turns: readonly Content[], turnComplete: boolean): void {
    const added = this.#asks.takeAdded()
    this.#host.remember(added)
    this.#host.send({ clientContent: { turns: [...added, ...turns], turnComplete } })
  }

  /** Whatever the service does in this turn is in vain: it is made to stop, and free for what comes next. */
  #leave(turn: Turn): void {
    turn.left = true
    this.#host.send({ clientContent: { turns: [], turnComplete: false } })
    this.next()
  }

  // ── one answer ──

  /** The answer that output belongs to; undefined if nobody wants it. */
  #begin(): string | undefined {
    const turn = this.#turn ?? newTurn()
    if (turn.left) return undefined
    this.#watch()
    if (turn.response !== undefined) return turn.response
    const goesOn = this.#turn !== undefined
    this.#turn = turn
    const ask = this.#asks.begin()
    turn.generated = false
    turn.response = turn.last = this.#name()
    this.#host.begins(!ask && !goesOn)
    if (ask) this.#host.remember(ask.turns)
    this.#host.events.responseStarted(turn.response, ask !== undefined)
    // Unless it was interrupted on the spot.
    return turn.response
  }

  #end(how: How, error?: unknown): void {
    const turn = this.#turn
    const response = turn?.response
    if (!turn || response === undefined) return
    turn.response = undefined
    this.#stall?.clear()
    this.#ending?.clear()
    this.#tellEnd(response, how, error)
  }

  /** The first ask is answered with nothing. */
  #refuse(error: unknown): void {
    const ask = this.#asks.begin()
    this.#stall?.clear()
    const response = this.#name()
    this.#host.events.responseStarted(response, true)
    this.#tellEnd(response, error ? 'failed' : ask?.interrupted ? 'cancelled' : 'completed', error)
  }

  #tellEnd(response: string, how: How, error: unknown): void {
    if (how === 'failed') this.#host.events.responseEnded(response, how, error)
    else this.#host.events.responseEnded(response, how)
  }

  #name(): string {
    return `answer-${++this.#count}`
  }

  /** The service has to say something soon. */
  #watch(): void {
    const { name, stallTimeout } = this.#host
    this.#stall?.clear()
    this.#stall = this.#after(stallTimeout, 'answer', () => {
      const error = new PartTimeoutError(`the answer of '${name}'`, stallTimeout)
      if (this.#turn?.response === undefined) this.#refuse(error)
      else this.#end('failed', error)
      // Should it come after all, nobody waits for it.
      this.#leave((this.#turn ??= newTurn()))
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer | undefined {
    const { scope, name } = this.#host
    return scope.state === 'live' ? scope.after(ms, `${what} of '${name}'`, callback) : undefined
  }
}

const newTurn = (): Turn => ({ response: undefined, last: undefined, generated: false, left: false })
