import type { AudioFrame } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import { Attempt } from '../attempt.ts'
import { CallerTurn } from './caller-turn.ts'
import { FallbackError } from '../errors.ts'
import { FallbackAnswers, type Wish } from './fallback-answers.ts'
import { FallbackModels, memberContext, type ModelUse } from './fallback-models.ts'
import type { FallbackReplayOptions } from './fallback-options.ts'
import { closeInBackground } from './fallback-stream.ts'
import type { Message } from '../message.ts'
import type { PartContext } from '../part.ts'
import {
  sayExactly,
  type Realtime,
  type RealtimeEvents,
  type RealtimeModel,
  type RealtimeSetup,
} from '../realtime.ts'
import type { VendorHealth } from './vendor-health.ts'

/** The model in use, or being opened. */
interface Speaker {
  readonly use: ModelUse<Realtime>
  readonly scope: Scope
  model: RealtimeModel | undefined
  failure: { readonly error: unknown } | undefined
  /** What the model has to be told once it is open, because the conversation that it is opened with lacks it. */
  readonly late: ((model: RealtimeModel) => void)[]
}

/** A tool call whose result is still to come. */
interface PendingCall {
  readonly speaker: Speaker
  /** The model's own id of it. */
  readonly own: string
}

/**
 * One conversation, served by several models in turn.
 *
 *   open ─▶ model in use ──failed──▶ answers and turns of the lost model end ─▶ next model, with the conversation so far
 *                ▲                                                                    │
 *                └── audio that was not understood, tool results, requests ◀──────────┘
 */
export class FallbackRealtimeModel implements RealtimeModel {
  readonly #context: PartContext
  readonly #events: RealtimeEvents
  readonly #firstWithin: number
  readonly #models: FallbackModels<Realtime>
  readonly #answers = new FallbackAnswers()
  readonly #turn: CallerTurn
  /** The next model is opened with it. */
  #setup: RealtimeSetup
  #speaker: Speaker | undefined
  /** By the session's id. */
  readonly #calls = new Map<string, PendingCall>()
  #callCount = 0
  /** Models that have failed since the last sign of life, by index. None of them is tried again before the next one. */
  readonly #failures = new Map<number, { name: string; error: unknown }>()
  #failed = false

  constructor(
    name: string,
    parts: readonly Realtime[],
    health: VendorHealth,
    context: PartContext,
    setup: RealtimeSetup,
    events: RealtimeEvents,
    options: FallbackReplayOptions,
  ) {
    this.#context = context
    this.#setup = setup
    this.#events = events
    this.#firstWithin = options.firstWithin ?? 5_000
    this.#models = new FallbackModels(name, parts, health, context, options)
    this.#turn = new CallerTurn(setup.takesTurns, options.replay ?? 5_000)
  }

  /** Opens the first model that can be opened. Throws if none can. */
  async open(): Promise<void> {
    const { scope } = this.#context
    const next = (): ModelUse<Realtime> | undefined => this.#models.next(this.#failures, this.#firstWithin)
    for (let use = next(); use; use = next()) {
      const own = scope.child(use.part.name)
      const speaker: Speaker = { use, scope: own, model: undefined, failure: undefined, late: [] }
      this.#speaker = speaker
      const setup = this.#setup
      try {
        const model = await this.#tryToOpen(speaker, { ...setup, messages: this.#messages() })
        if (speaker.failure) throw speaker.failure.error
        const { instructions, tools } = this.#setup
        if (this.#setup !== setup) model.update({ instructions, tools })
        this.#begin(speaker, model)
        return
      } catch (error) {
        if (scope.state !== 'live') throw error
        this.#drop(speaker, error)
      }
    }
    throw new FallbackError(this.#models.name, [...this.#failures.values()])
  }

  // ── RealtimeModel ──

  push(frame: AudioFrame): void {
    if (this.#failed) return
    this.#turn.push(frame)
    this.#speaker?.model?.push(frame)
  }

  commit(): void {
    this.#turn.commit()
    this.#speaker?.model?.commit()
  }

  respond(instructions?: string): void {
    this.#ask({ instructions })
  }

  /** Absent if the first model has none. A later one without it is instructed to say the words. */
  say?: (words: string) => void

  addText(text: string): void {
    this.#tell((model) => model.addText(text))
  }

  toolResult(id: string, output: string, failed: boolean): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    // Another model knows the call from the conversation, by the session's id.
    const own = call && call.speaker === this.#speaker ? call.own : id
    this.#tell((model) => model.toolResult(own, output, failed))
  }

  interrupt(response: string, heard: number): void {
    const own = this.#answers.ownIdOf(response)
    if (own !== undefined) this.#speaker?.model?.interrupt(own, heard)
    else if (this.#answers.withdraw(response)) this.#events.responseEnded(response, 'cancelled')
  }

  update(change: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    this.#setup = { ...this.#setup, ...change }
    this.#speaker?.model?.update(change)
  }

  #ask(wish: Wish): void {
    if (this.#failed) return
    this.#answers.ask(wish)
    const model = this.#speaker?.model
    if (model) request(model, wish)
  }

  /** Tells the model now, or as soon as it is open. */
  #tell(message: (model: RealtimeModel) => void): void {
    const speaker = this.#speaker
    if (speaker?.model) message(speaker.model)
    else speaker?.late.push(message)
  }

  // ── one model ──

  /** The conversation as it stands. A call that is still running has no result yet: it follows. */
  #messages(): readonly Message[] {
    const { conversation, messages } = this.#setup
    const all = conversation?.() ?? messages
    return all.filter((each) => each.role !== 'tool-result' || !this.#calls.has(each.id))
  }

  /** Passes to a newly opened model what it has missed. */
  #begin(speaker: Speaker, model: RealtimeModel): void {
    speaker.model = model
    this.#turn.replayTo(model)
    for (const message of speaker.late) message(model)
    if (model.say) this.say ??= this.#say.bind(this)
    for (const { wish } of this.#answers.requestsForNext()) request(model, wish)
  }

  #say(words: string): void {
    this.#ask({ words })
  }

  #eventsOf(speaker: Speaker): RealtimeEvents {
    const events = this.#events
    const turn = this.#turn
    const answers = this.#answers
    /** Passes an event on, if it is one of the model in use. Any event is a sign of life. */
    const ifCurrent =
      <Arguments extends unknown[]>(handle: (...args: Arguments) => void) =>
      (...args: Arguments): void => {
        if (speaker !== this.#speaker || speaker.failure) return
        this.#failures.clear()
        speaker.use.worked()
        handle(...args)
      }
    const output = (own: string): string | undefined => {
      const answer = answers.output(own)
      if (answer) turn.answered(answer.asked)
      return answer?.id
    }
    return {
      userStarted: ifCurrent(() => {
        turn.started()
        events.userStarted()
      }),
      userStopped: ifCurrent(() => {
        turn.stopped()
        events.userStopped()
      }),
      userInterim: ifCurrent((text) => events.userInterim(text)),
      userFinal: ifCurrent((text) => {
        turn.transcribed(text)
        events.userFinal(text)
      }),
      responseStarted: ifCurrent((own, asked) => {
        if (!asked) turn.answerStarted()
        const { answer, again } = answers.started(own, asked)
        if (answer.withdrawn) speaker.model?.interrupt(own, 0)
        else if (!again) events.responseStarted(answer.id, answer.asked)
      }),
      audio: ifCurrent((own, frame) => {
        const id = output(own)
        if (id !== undefined) events.audio(id, frame)
      }),
      text: ifCurrent((own, text) => {
        const id = output(own)
        if (id !== undefined) events.text(id, text)
      }),
      toolCall: ifCurrent((own, call) => {
        const id = output(own)
        if (id !== undefined) events.toolCall(id, { ...call, id: this.#addCall(speaker, call.id) })
      }),
      toolCancelled: ifCurrent((own) => this.#cancelCall(speaker, own)),
      responseEnded: ifCurrent((own, how, error) => {
        const id = answers.ended(own)
        if (id !== undefined) events.responseEnded(id, how, error)
      }),
      // Also of a model that is no longer used: it is charged all the same.
      usage: (usage) => events.usage({ by: speaker.use.part.name, ...usage }),
      failed: (error) => this.#modelFailed(speaker, error),
    }
  }

  /** Returns the session's id of a call: the model's own, unless a call of an earlier model has it. */
  #addCall(speaker: Speaker, own: string): string {
    const isTaken = this.#calls.has(own)
    const id = isTaken ? `${own}-${++this.#callCount}` : own
    this.#calls.set(id, { speaker, own })
    return id
  }

  #cancelCall(speaker: Speaker, own: string): void {
    for (const [id, call] of this.#calls)
      if (call.speaker === speaker && call.own === own) {
        this.#calls.delete(id)
        this.#events.toolCancelled(id)
      }
  }

  // ── from one model to the next ──

  #modelFailed(speaker: Speaker, error: unknown): void {
    if (speaker !== this.#speaker || speaker.failure) return undefined
    speaker.failure = { error }
    // If the model is still being opened, `open()` handles the failure.
    if (!speaker.model) return undefined
    this.#drop(speaker, error)
    const { scope } = this.#context
    if (scope.state !== 'live') return this.#fail(error)
    this.#endOf(error)
    scope.spawn(`next model of '${this.#models.name}'`, async () => {
      try {
        await this.open()
      } catch (last) {
        this.#fail(last)
      }
    })
    return undefined
  }

  /** Ends what the lost model has begun and the next one cannot continue. */
  #endOf(error: unknown): void {
    const { isAwaiting } = this.#turn
    const heardAgain = this.#turn.lost(this.#events)
    const { cut, repeated } = this.#answers.lost(heardAgain)
    if (isAwaiting) this.#answers.askForCaller()
    for (const id of cut) this.#events.responseEnded(id, 'failed', error)
    for (const id of repeated) this.#events.responseEnded(id, 'cancelled')
  }

  #drop(speaker: Speaker, error: unknown): void {
    const { use, scope } = speaker
    this.#speaker = undefined
    this.#failures.set(use.index, { name: use.part.name, error })
    use.failed(error)
    closeInBackground(scope)
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#turn.end()
    this.#events.failed(error)
  }

  async #tryToOpen(speaker: Speaker, setup: RealtimeSetup): Promise<RealtimeModel> {
    const { scope } = this.#context
    const { part } = speaker.use
    const attempt = new Attempt(`opening '${part.name}'`, [scope.signal], scope, this.#firstWithin)
    try {
      const context = memberContext(this.#context, speaker.scope, part.name)
      return await attempt.stop.until(part.open(context, setup, this.#eventsOf(speaker)))
    } finally {
      attempt.end()
    }
  }
}

function request(model: RealtimeModel, { instructions, words }: Wish): void {
  if (words === undefined) model.respond(instructions)
  else if (model.say) model.say(words)
  else model.respond(sayExactly(words))
}
