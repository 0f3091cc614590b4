import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { RealtimeEvents, RealtimeModel, SpokenChunk, ToolDescription, Usage } from '../parts/index.ts'
import type { TaskContext } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import { Ear } from './ear.ts'
import type { UserWords } from './history.ts'
import type { Mind, MindTurn } from './mind.ts'
import { Replies, type RepliesHost } from './replies.ts'
import type { Reply } from './reply.ts'
import { Response, type ResponseEnd } from './response.ts'
import type { SpeechOptions } from './speech.ts'
import { endlessTools, type ReplyOptions } from './thinker.ts'
import type { ToolCall, ToolOutcome } from './tool-runner.ts'
import { ToolUse, nextAgent, type ToolUseHost } from './tool-use.ts'
import type { Sound, Utterance } from './utterances.ts'

/** A realtime model, opened. */
export interface OpenRealtime {
  readonly kind: 'realtime'
  readonly model: RealtimeModel
  readonly inputRate: SampleRate
  /** What it was opened with. */
  readonly instructions: string
  readonly tools: readonly ToolDescription[]
  /** True if it decides when the user has finished. */
  readonly takesTurns: boolean
}

/** What a realtime mind needs of the session around it. */
export interface RealtimeHost extends RepliesHost, ToolUseHost {
  agent(): { readonly agent: Agent; readonly tools: readonly ToolDescription[] }
  /** Lets a sound be heard in its turn. */
  utter(sound: Sound, options?: SpeechOptions): Utterance
  cancelTool(id: string): void
  handOff(to: Agent, from: TaskContext): Promise<void>
  used(usage: Usage): void
  /** An answer that was expected has begun, or will not come. */
  expected(): void
  userStarted(): void
  userStopped(): void
  interim(text: string): void
  /** What the user said. `stops` stops the answer to it, if there is one or will be. */
  heard(text: string, place: UserWords | undefined, stops: () => boolean): void
}

/** Turns of the user that wait for their words: a model that writes none down must not make them pile up. */
const MOST_UNWRITTEN = 8

/**
 * A mind that is one model: it hears the caller, takes its turns and speaks. An answer is a row of responses:
 *
 *   asked, or begun by itself ─▶ words, sound ─▶ a speech
 *                  ▲                └────▶ calls ─▶ tools ─┐
 *                  └──────────── asked again ◀── results ──┘   until there are no more calls
 *
 * What the model tells comes by the methods of `RealtimeEvents`, each synchronous: a sound is on its way to the line
 * before the next one comes.
 */
export class RealtimeMind implements Mind, RealtimeEvents {
  readonly #host: RealtimeHost
  readonly #model: RealtimeModel
  readonly #ear: Ear
  readonly #takesTurns: boolean
  readonly #replies: Replies
  readonly #tools: ToolUse
  /** Asked for, and not begun: the model answers in order. */
  readonly #asked: Response[] = []
  /** Begun, and not over or not heard to its end. */
  readonly #responses = new Map<string, Response>()
  /** Our own names for the calls that the model waits for. */
  readonly #calls = new Map<string, string>()
  /** Where the words of the user will stand, in the order of speaking. */
  readonly #unwritten: UserWords[] = []
  /** What the model knows of the agent, written down. */
  #setup: string
  /** The user has finished, and the answer has not begun. */
  #expecting: 'nothing' | 'an answer' | 'a refused answer' = 'nothing'
  /** Whether an answer that nobody asked for is wanted. */
  #wanted = true

  constructor(host: RealtimeHost, open: OpenRealtime, lineRate: SampleRate) {
    const { model, inputRate, instructions, tools, takesTurns } = open
    this.#host = host
    this.#model = model
    this.#takesTurns = takesTurns
    this.#setup = JSON.stringify({ instructions, tools })
    this.#ear = new Ear(lineRate, inputRate, (frame) => model.push(frame))
    this.#replies = new Replies(host)
    this.#tools = new ToolUse(host, this.#replies)
  }

  // ── what the conversation wants ──

  get replies(): readonly Reply[] {
    return this.#replies.inTheMaking
  }

  get expecting(): boolean {
    return this.#expecting === 'an answer'
  }

  hear(frame: AudioFrame): void {
    this.#ear.hear(frame)
  }

  /** It knows by itself when a text is final. */
  flush(): void {}

  detach(): boolean {
    this.#model.commit()
    return true
  }

  judge(): undefined {}

  prepare(): undefined {}

  answer({ text, from }: MindTurn): Reply {
    if (from === 'text') this.#model.addText(text)
    else this.#model.commit()
    return this.reply({})
  }

  reply({ instructions, ...speech }: ReplyOptions): Reply {
    return this.#begin(speech, (response) => this.#ask(response, instructions))
  }

  async *sound(
    text: AsyncIterable<string>,
    utterance: Utterance,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenChunk, void, undefined> {
    let words = ''
    for await (const piece of text) words += piece
    if (words.trim() === '' || signal.aborted) return
    const response = new Response({ utterance })
    utterance.speech.onInterrupt(() => this.#stop(response))
    this.#ask(response, `Say exactly these words, and nothing else: ${JSON.stringify(words)}`)
    yield* response.sound
  }

  agentChanged(): void {
    const { agent, tools } = this.#host.agent()
    const setup = { instructions: agent.instructions, tools }
    const written = JSON.stringify(setup)
    if (written === this.#setup) return
    this.#setup = written
    this.#model.update(setup)
  }

  takesTurns(wanted: boolean): void {
    this.#wanted = wanted
  }

  // ── what the model tells of the user ──

  userStarted(): void {
    this.#expectNothing()
    this.#host.userStarted()
  }

  userStopped(): void {
    const { history, scope } = this.#host
    this.#unwritten.push(history.listen({ at: scope.clock.date() }))
    if (this.#unwritten.length > MOST_UNWRITTEN) this.#unwritten.shift()?.are('')
    if (this.#takesTurns && this.#wanted) this.#expecting = 'an answer'
    this.#host.userStopped()
  }

  userInterim(text: string): void {
    this.#host.interim(text)
  }

  userFinal(text: string): void {
    // It was no speech after all: nobody will answer.
    if (text.trim() === '') this.#expectNothing()
    this.#host.heard(text, this.#unwritten.shift(), () => this.#refuse())
  }

  // ── what the model answers ──

  responseStarted(id: string, asked: boolean): void {
    if (this.#host.scope.state !== 'live') return
    const response = asked ? this.#asked.shift() : this.#unasked()
    if (!response || response.withdrawn) return this.#model.interrupt(id, 0)
    response.id = id
    this.#responses.set(id, response)
  }

  audio(id: string, frame: AudioFrame): void {
    const response = this.#responses.get(id)
    if (!response) return
    this.#speak(response)
    response.sound.push({ frame })
  }

  text(id: string, text: string): void {
    const response = this.#responses.get(id)
    if (response && text !== '') this.#speak(response).said(text)
  }

  toolCall(id: string, call: ToolCall): void {
    const response = this.#responses.get(id)
    if (!response || this.#host.scope.state !== 'live') return
    const { reply, step, utterance } = response
    if (!reply) return this.#model.toolResult(call.id, 'no tools while these words are said', true)
    const used = this.#tools.use(reply, call, utterance?.speech, step)
    this.#calls.set(call.id, used.id)
    response.uses.push(this.#result(call, used.outcome))
  }

  toolCancelled(call: string): void {
    const id = this.#calls.get(call)
    this.#calls.delete(call)
    if (id !== undefined) this.#host.cancelTool(id)
  }

  responseEnded(id: string, how: ResponseEnd['how'], error?: unknown): void {
    const response = this.#responses.get(id)
    if (!response) return
    response.end({ how, error })
    const speech = response.utterance?.speech
    if (!speech) this.#responses.delete(id)
    // Until then it can be interrupted, and the model must forget what was not heard.
    else
      speech
        .waitForPlayout()
        .finally(() => this.#responses.delete(id))
        .catch(() => {})
  }

  usage(usage: Usage): void {
    this.#host.used(usage)
  }

  /** The session is told by whoever opened the model. */
  failed(): void {}

  // ── one answer ──

  #begin(speech: SpeechOptions, start: (response: Response) => void): Reply {
    const first = new Response({ speech })
    const reply = this.#replies.begin(
      speech,
      (self, context) => this.#converse(self, first, context),
      (self) => this.#withdraw(self),
    )
    first.reply = reply
    start(first)
    return reply
  }

  async #converse(reply: Reply, first: Response, context: TaskContext): Promise<void> {
    const { maxToolSteps } = this.#host
    for (let response = first; ;) {
      const { how, error } = await context.until(response.over)
      if (how === 'failed') throw error
      if (how === 'cancelled') return this.#stoppedByModel(reply)
      if (response.uses.length === 0) return
      const outcomes = (await context.until(Promise.all(response.uses))).flatMap((each) => each ?? [])
      // The model has taken all of its calls back: there is nothing to go on with.
      if (outcomes.length === 0) return
      if (response.step > maxToolSteps) throw endlessTools(maxToolSteps)
      // Applied only here: the answer of an interrupted turn never gets this far (AG4).
      const next = nextAgent(outcomes)
      if (next) return context.until(this.#host.handOff(next, context))
      response = new Response({ reply, speech: first.speech, step: response.step + 1 })
      this.#ask(response)
    }
  }

  #ask(response: Response, instructions?: string): void {
    this.#asked.push(response)
    this.#model.respond(instructions)
  }

  /** The model begins to answer by itself: because the user has finished. */
  #unasked(): Response | undefined {
    let begun: Response | undefined
    const owed = this.#expecting === 'an answer'
    if (owed || (this.#wanted && this.#expecting === 'nothing'))
      this.#begin({}, (response) => {
        begun = response
      })
    // Only now: between the two, nobody would be at work.
    this.#expectNothing()
    return begun
  }

  /** The speech of a response, from its first word or sound on. */
  #speak(response: Response): Utterance {
    if (response.utterance) return response.utterance
    const utterance = this.#host.utter(() => response.sound, response.speech)
    response.utterance = utterance
    utterance.speech.onInterrupt(() => this.#stop(response))
    response.reply?.add(utterance.speech)
    return utterance
  }

  /**
   * The model has its result as soon as there is one, also if the answer that wanted it was interrupted (TL4). One that
   * it has taken back has none.
   */
  async #result({ id }: ToolCall, outcome: Promise<ToolOutcome>): Promise<ToolOutcome | undefined> {
    const result = await outcome
    if (!this.#calls.delete(id)) return undefined
    this.#model.toolResult(id, result.output, result.failed)
    return result
  }

  // ── stopping ──

  /** An answer was interrupted: all of it, begun or not. */
  #withdraw(reply: Reply): void {
    for (const response of [...this.#asked, ...this.#responses.values()])
      if (response.reply === reply) this.#stop(response)
  }

  /** Nothing more of it is wanted. The model forgets what was not heard. */
  #stop(response: Response): void {
    const { id, utterance } = response
    response.withdrawn = true
    response.end({ how: 'cancelled' })
    if (id !== undefined && this.#responses.delete(id)) this.#model.interrupt(id, utterance?.heard ?? 0)
  }

  /** It has stopped by itself, because the user speaks: what it has said so far is not wanted either. */
  #stoppedByModel(reply: Reply): void {
    if (reply.interruptible) reply.interrupt()
  }

  /** A guardrail objects to what the user said: no answer to that. */
  #refuse(): boolean {
    const replies = this.#replies.inTheMaking
    for (const reply of replies) reply.interrupt({ force: true })
    if (this.#expecting === 'an answer') this.#expecting = 'a refused answer'
    return replies.length > 0 || this.#expecting === 'a refused answer'
  }

  #expectNothing(): void {
    if (this.#expecting === 'nothing') return
    this.#expecting = 'nothing'
    this.#host.expected()
  }
}
