import { nearestFormat, type SampleRate } from '../../audio/index.ts'
import {
  inlet,
  sayExactly,
  type EventOf,
  type PartContext,
  type RealtimeEvents,
  type RealtimeModel,
  type SpokenChunk,
} from '../../parts/index.ts'
import { noop, shelter, type TaskContext, type Timer } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { AnswerTimeoutError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Delivery } from '../speaking/delivery.ts'
import type { Speaking } from '../speaking/speaking.ts'
import type { Agents } from './agents.ts'
import type { GuardrailRunner } from './guardrail-runner.ts'
import type { Mind, MindEar, Thought } from './mind.ts'
import type { ActiveReply, Replies } from './replies.ts'
import { Response, type ResponseEnd } from './response.ts'
import { realtimeShape } from './realtime-shape.ts'
import { RealtimeUser } from './realtime-user.ts'
import { wholeText } from './whole-text.ts'
import { endlessTools, nextAgent, type ToolRunner } from './tool-runner.ts'
import { describeTools, type ToolCall, type ToolOutcome } from './tool.ts'

/**
 * One model that hears the caller, takes turns and speaks. A reply is a series of responses:
 *
 *   asked for, or begun by the model ─▶ words, sound ─▶ Speaking
 *                  ▲                        └────▶ calls ─▶ tools ─┐
 *                  └──────────────── asked again ◀── results ──────┘   until there are no more calls
 *
 * It fits between the stations like a pipeline does: `Hearing` pushes the caller's sound into its `ear`, and its transcript
 * goes to the turn machine; its own sound goes to `Speaking`, and so do words it is given to say. Every event of the model
 * is handled synchronously, so its sound is on the way to the line before the next event arrives.
 */
export class RealtimeMind implements Mind {
  readonly #context: SessionContext
  readonly #agents: Agents
  readonly #tools: ToolRunner
  readonly #guardrails: GuardrailRunner
  readonly #speaking: Speaking
  readonly #replies: Replies
  readonly #user: RealtimeUser
  #model!: RealtimeModel
  /** The sample rate of the sound that it takes. */
  #rate!: SampleRate
  /** Requested responses that have not begun. The model answers in order. */
  readonly #asked: Response[] = []
  /** Responses that have begun, until they have ended and been heard. */
  readonly #responses = new Map<string, Response>()
  /** Calls whose result the model waits for: its id to our id. */
  readonly #calls = new Map<string, string>()
  /** The agent's instructions and tools as last sent to the model, as JSON. */
  #setup = ''
  /** When the model was last asked for something, or did something. */
  #movedAt = 0
  #silence: Timer | undefined

  constructor(
    context: SessionContext,
    agents: Agents,
    tools: ToolRunner,
    guardrails: GuardrailRunner,
    speaking: Speaking,
    replies: Replies,
  ) {
    this.#context = context
    this.#agents = agents
    this.#tools = tools
    this.#guardrails = guardrails
    this.#speaking = speaking
    this.#replies = replies
    this.#user = new RealtimeUser(context, agents, guardrails, replies)
  }

  async open(part: PartContext): Promise<void> {
    const { settings, history } = this.#context
    const { agent, models } = settings
    const { instructions } = agent
    // The tools of the agent's toolsets follow once they are open.
    const tools = describeTools(agent.tools)
    this.#setup = JSON.stringify({ instructions, tools })
    const { line } = settings
    const hears = nearestFormat(settings.hears, models.realtime!.hears)
    this.#rate = hears.sampleRate
    const setup = {
      hears,
      speaks: models.tts ? undefined : nearestFormat(line.speaks, models.realtime!.speaks),
      instructions,
      tools,
      messages: history.toMessages(),
      conversation: () => history.toMessages(),
      takesTurns: this.#user.modelTakesTurns,
    }
    const failed = (error: unknown): void => this.#context.failed('realtime', error)
    const events = inlet('realtime', realtimeShape, { push: (event) => this.#receive(event) }, failed)
    const methods = ['push', 'commit', 'respond', 'addText', 'toolResult', 'interrupt', 'update'] as const
    const opened = await this.#context.opened(
      'realtime model',
      models.realtime!.open(this.#context.counting(part, models.realtime!), setup, events),
      methods,
    )
    this.#model = shelter(opened, opened.say ? [...methods, 'say'] : methods, failed)
    if (models.tts) return
    this.#speaking.useVoice({
      reportsWords: true,
      speak: (text, signal, delivery) => this.#speakWords(text, signal, delivery),
    })
  }

  // ── requests from the stations ──

  get isExpecting(): boolean {
    return this.#user.expects === 'an answer'
  }

  get ear(): MindEar {
    return {
      rate: this.#rate,
      push: (frame) => this.#model.push(frame),
      // The model knows when a text is final.
      flush: noop,
      detach: () => this.#model.commit(),
    }
  }

  /** No-op: a realtime model cannot begin a reply early. */
  prepare(): undefined {}

  think(reply: ActiveReply, { turn, options }: Thought, task: TaskContext): Promise<void> {
    const { instructions, ...speech } = options
    if (turn?.from === 'text') this.#model.addText(turn.text)
    else if (turn) this.#model.commit()
    const first = new Response({ reply, speech })
    this.#ask(first, () => this.#model.respond(instructions))
    return this.#converse(reply, first, task)
  }

  addText(text: string): void {
    this.#model.addText(text)
  }

  agentChanged(): void {
    const { agent, descriptions: tools } = this.#agents.current
    const setup = { instructions: agent.instructions, tools }
    const written = JSON.stringify(setup)
    if (written === this.#setup) return
    this.#setup = written
    this.#model.update(setup)
  }

  async *#speakWords(
    text: AsyncIterable<string>,
    signal: AbortSignal,
    delivery: Delivery,
  ): AsyncGenerator<SpokenChunk, void, undefined> {
    const words = await wholeText(text, signal, this.#context.scope)
    if (words.trim() === '' || signal.aborted) return
    const response = new Response({ delivery })
    delivery.speech.onInterrupt(() => this.#stop(response))
    this.#ask(response, () => {
      if (this.#model.say) this.#model.say(words)
      else this.#model.respond(sayExactly(words))
    })
    yield* response.sound
  }

  // ── events from the model ──

  #receive(event: EventOf<RealtimeEvents>): void {
    this.#movedAt = this.#context.now
    this.#dispatch(event)
    // Words and sound are neither the beginning nor the end of what the model owes.
    if (event[0] !== 'audio' && event[0] !== 'text') this.#watch()
  }

  /** Handles every event of the model. `RealtimeUser` handles the events about the user. */
  #dispatch(event: EventOf<RealtimeEvents>): void {
    switch (event[0]) {
      case 'userStarted':
      case 'userStopped':
      case 'userInterim':
      case 'userFinal':
        return this.#user.receive(event)
      case 'responseStarted':
        return this.#started(event[1], event[2])
      case 'usage':
        return this.#context.used(event[1], this.#context.settings.models.realtime!.name)
      case 'toolCancelled':
        return this.#cancelTool(event[1])
      case 'failed':
        return this.#context.ends.broken('realtime', event[1])
      case 'audio':
      case 'text':
      case 'toolCall':
      case 'responseEnded':
        break
    }
    const response = this.#responses.get(event[1])
    if (!response) return undefined
    switch (event[0]) {
      case 'audio':
        this.#speak(response)
        return response.sound.push({ frame: event[2] })
      case 'text':
        return event[2] === '' ? undefined : this.#said(response, event[2])
      case 'toolCall':
        return this.#callTool(response, event[2])
      case 'responseEnded':
        return this.#ended(event[1], response, { how: event[2], error: event[3] })
    }
  }

  #started(id: string, asked: boolean): void {
    if (!this.#context.isOpen) return
    const response = asked ? this.#asked.shift() : this.#unasked()
    if (!response || response.withdrawn) return this.#model.interrupt(id, 0)
    response.id = id
    this.#responses.set(id, response)
  }

  #callTool(response: Response, call: ToolCall): void {
    if (!this.#context.isOpen) return
    const { reply, step, delivery } = response
    if (response.uses.length >= limits.toolCalls)
      return this.#model.toolResult(
        call.id,
        `too many calls in one answer (limit toolCalls = ${limits.toolCalls})`,
        true,
      )
    if (!reply)
      return this.#model.toolResult(call.id, 'tools cannot be called while these words are spoken', true)
    const used = this.#tools.use(reply, call, delivery?.speech, step)
    this.#calls.set(call.id, used.id)
    response.uses.push(this.#result(call, used.outcome))
  }

  #cancelTool(call: string): void {
    const id = this.#calls.get(call)
    this.#calls.delete(call)
    if (id !== undefined) this.#tools.cancel(id)
  }

  #ended(id: string, response: Response, end: ResponseEnd): void {
    response.end(end)
    const forget = (): void => void this.#responses.delete(id)
    // Kept until the caller has heard it: after an interruption, the model must forget what was not heard.
    if (response.delivery) response.delivery.speech.ended.then(forget, forget)
    else forget()
  }

  // ── one reply ──

  async #converse(reply: ActiveReply, first: Response, task: TaskContext): Promise<void> {
    const { maxToolSteps } = this.#context.settings
    reply.onInterrupt(() => this.#withdraw(reply))
    for (let response = first; ;) {
      const { how, error } = await task.until(response.ended)
      if (how === 'failed') {
        reply.modelFailed = true
        throw error
      }
      // The model stopped because the user is speaking: what is still queued stops as well.
      if (how === 'cancelled') return reply.interruptible ? reply.interrupt() : undefined
      if (response.uses.length === 0) return
      const outcomes = (await task.until(Promise.all(response.uses))).flatMap((each) => each ?? [])
      // The model has cancelled all of its calls: there is no result to go on with.
      if (outcomes.length === 0) return
      if (response.step > maxToolSteps) throw endlessTools(maxToolSteps)
      // Applied only here: an interrupted reply never gets this far (AG4).
      const next = nextAgent(outcomes)
      if (next) return task.until(this.#agents.handOff(next, task))
      response = new Response({ reply, speech: first.speech, step: response.step + 1 })
      this.#ask(response, () => this.#model.respond())
    }
  }

  #ask(response: Response, request: () => void): void {
    this.#asked.push(response)
    this.#movedAt = this.#context.now
    this.#watch()
    request()
  }

  // ── silence ──

  /** Whether the model owes an answer, or the rest of one. */
  get #isOwing(): boolean {
    if (this.isExpecting || this.#asked.some(({ withdrawn }) => !withdrawn)) return true
    for (const { hasEnded } of this.#responses.values()) if (!hasEnded) return true
    return false
  }

  /** Watches the model while it owes an answer (FA1). One timer, which checks again, rather than one per event. */
  #watch(): void {
    if (!this.#isOwing) {
      this.#silence?.clear()
      this.#silence = undefined
    } else if (!this.#silence && this.#context.isOpen) {
      const left = Math.max(0, this.#movedAt + this.#context.settings.answerTimeout - this.#context.now)
      this.#silence = this.#context.scope.after(left, 'answer timeout', () => {
        this.#silence = undefined
        if (this.#context.now - this.#movedAt >= this.#context.settings.answerTimeout) this.#giveUp()
        this.#watch()
      })
    }
  }

  /** The model has been silent for too long: fails whatever it owes. */
  #giveUp(): void {
    const error = new AnswerTimeoutError('realtime model', this.#context.settings.answerTimeout)
    const { isExpecting } = this
    const owed = [...this.#asked.splice(0), ...this.#responses.values()].filter(({ hasEnded }) => !hasEnded)
    this.#movedAt = this.#context.now
    this.#user.expectNothing()
    for (const response of owed) this.#fail(response, error)
    if (isExpecting && owed.length === 0) this.#context.partFailed('realtime', error)
  }

  /** Whether the model writes its answers, and a TTS speaks them. */
  get #writes(): boolean {
    return this.#context.settings.models.tts !== undefined
  }

  /** Adds words. A model that does not stop talking is stopped. */
  #said(response: Response, text: string): void {
    try {
      const delivery = this.#speak(response)
      if (this.#writes) response.words.push(text)
      else delivery.said(text)
    } catch (error) {
      this.#fail(response, error)
    }
  }

  #fail(response: Response, error: unknown): void {
    response.end({ how: 'failed', error })
    this.#stop(response)
  }

  /** The model begins to answer on its own, because the user has finished. */
  #unasked(): Response | undefined {
    const response = new Response({})
    const { expects } = this.#user
    if (expects === 'an answer' || (expects === 'nothing' && this.#context.takesTurns))
      this.#replies.begin({}, (reply, task) => {
        response.reply = reply
        return this.#converse(reply, response, task)
      })
    // After the reply has begun: otherwise the session would look idle in between.
    this.#user.expectNothing()
    return response.reply && response
  }

  /** Returns the speech of a response. Begins it at the first word or sound. */
  #speak(response: Response): Delivery {
    if (response.delivery) return response.delivery
    const { agent } = this.#agents.current
    const watch = agent.guardrails.output && this.#guardrails.watch(agent)
    const { reply, sound, words } = response
    const options = { agent, reply, watch }
    const delivery = this.#writes
      ? this.#speaking.say(words, options, response.speech)
      : this.#speaking.play({ ...options, source: { sound } }, response.speech)
    response.delivery = delivery
    delivery.speech.onInterrupt(() => this.#stop(response))
    return delivery
  }

  /**
   * Sends the result to the model as soon as there is one, even if the reply was interrupted (TL4). A call that the model
   * has cancelled gets no result.
   */
  async #result({ id }: ToolCall, outcome: Promise<ToolOutcome>): Promise<ToolOutcome | undefined> {
    const result = await outcome
    if (!this.#calls.delete(id)) return undefined
    this.#model.toolResult(id, result.output, result.failed)
    return result
  }

  // ── stopping ──

  /** A reply was interrupted: stops all of its responses, including those that have not begun. */
  #withdraw(reply: ActiveReply): void {
    for (const response of [...this.#asked, ...this.#responses.values()])
      if (response.reply === reply) this.#stop(response)
  }

  /** Stops a response, and makes the model forget what was not heard. */
  #stop(response: Response): void {
    const { id, delivery } = response
    response.withdrawn = true
    response.end({ how: 'cancelled' })
    if (id === undefined || !this.#responses.delete(id)) return
    this.#model.interrupt(id, delivery?.heard ?? 0)
  }
}
