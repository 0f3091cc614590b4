import type { EventOf, RealtimeEvents } from '../../parts/index.ts'
import { noop } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import type { UserWords } from '../history/history.ts'
import { TurnTiming } from '../turn-timing.ts'
import type { Agents } from './agents.ts'
import type { GuardrailRunner } from './guardrail-runner.ts'
import type { Replies } from './replies.ts'

type UserEvent = Extract<
  EventOf<RealtimeEvents>,
  ['userStarted'] | ['userStopped'] | ['userInterim', string] | ['userFinal', string]
>

/** How many turns may wait for their transcript, so that a model that never sends one cannot fill memory. */
const MAX_UNWRITTEN = 8

/** Passes a realtime model's events about the user to the turn machine, the history and the guardrails. */
export class RealtimeUser {
  /** Whether the model decides when the user has finished. */
  readonly modelTakesTurns: boolean
  readonly #context: SessionContext
  readonly #agents: Agents
  readonly #guardrails: GuardrailRunner
  readonly #replies: Replies
  /** Places in the history for turns of the user without a transcript yet, in speaking order. */
  readonly #unwritten: UserWords[] = []
  /** What the model is expected to do now that the user has finished. */
  #expects: 'nothing' | 'an answer' | 'a refused answer' = 'nothing'

  constructor(context: SessionContext, agents: Agents, guardrails: GuardrailRunner, replies: Replies) {
    this.modelTakesTurns = context.settings.turns.mode === 'realtime'
    this.#context = context
    this.#agents = agents
    this.#guardrails = guardrails
    this.#replies = replies
  }

  get expects(): 'nothing' | 'an answer' | 'a refused answer' {
    return this.#expects
  }

  receive(event: UserEvent): void {
    const { turns, events, history, settings, book, now } = this.#context
    switch (event[0]) {
      case 'userStarted':
        this.expectNothing()
        return turns.handle({ type: 'user-started', since: now })
      case 'userInterim':
        events.emit('hearing', { text: event[1] })
        return turns.handle({ type: 'interim', text: event[1] })
      case 'userStopped':
        this.#unwritten.push(history.listen({ at: settings.clock.date() }))
        if (this.#unwritten.length > MAX_UNWRITTEN) this.#unwritten.shift()?.transcribed('')
        if (this.modelTakesTurns && this.#context.takesTurns) this.#expects = 'an answer'
        turns.handle({ type: 'user-stopped', since: now })
        book.waiting = new TurnTiming()
        book.waiting.stopped = now
        book.waiting.takenAt = now
        return undefined
      case 'userFinal':
        return this.#final(event[1])
    }
  }

  /** The transcript is for the history, events and guardrails only: the model answers on its own. */
  #final(text: string): void {
    const { turns, events, history, settings, book, now } = this.#context
    const isEmpty = text.trim() === ''
    // It was not speech after all: no answer will come.
    if (isEmpty) this.expectNothing()
    const place = this.#unwritten.shift()
    if (place) place.transcribed(text)
    else history.addUser(text, { at: settings.clock.date() })
    turns.handle({ type: 'final', text })
    if (isEmpty || !this.#context.isOpen) return
    book.handoffs = 0
    book.turnCount++
    this.#context.movedAt = now
    events.emit('transcribed', { text })
    if (!this.#context.isOpen) return
    events.emit('user', { text })
    if (!this.#context.isOpen) return
    const { agent } = this.#agents.current
    if (agent.guardrails.input) this.#guardrails.checkInput(text, agent, () => this.#refuse())
    if (agent.onTurn) this.#agents.turn(text).catch(noop)
  }

  /** An answer has begun, or none will come. */
  expectNothing(): void {
    if (this.#expects === 'nothing') return
    this.#expects = 'nothing'
    this.#context.onFinished?.()
  }

  /** A guardrail objects to what the user said: stops the answer. Returns whether there was one, or one was expected. */
  #refuse(): boolean {
    const { open } = this.#replies
    for (const reply of open) reply.interrupt({ force: true })
    if (this.#expects === 'an answer') this.#expects = 'a refused answer'
    return open.length > 0 || this.#expects === 'a refused answer'
  }
}
