import { checkKeys } from '../../audio/index.ts'
import type { PartContext } from '../../parts/index.ts'
import type { Agent } from './agent.ts'
import { LimitError, noop, type TaskContext, type TaskHandle } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { SessionClosedError, UninterruptibleError } from '../errors.ts'
import type { CommitCommand } from '../hearing/turn-events.ts'
import { limits } from '../limits.ts'
import { TurnTiming } from '../turn-timing.ts'
import type { Speaking } from '../speaking/speaking.ts'
import { Speech, type PressOutcome, type SpeechOptions } from '../speaking/speech.ts'
import { once } from '../speaking/stages.ts'
import { Agents } from './agents.ts'
import { GuardrailRunner, stop } from './guardrail-runner.ts'
import { Keypad } from './keypad.ts'
import type { Mind, MindEar, Preparation } from './mind.ts'
import { Pipeline } from './pipeline.ts'
import { RealtimeMind } from './realtime-mind.ts'
import { Replies } from './replies.ts'
import type { Reply, ReplyOptions } from './reply.ts'
import type { ToolActions } from './tool-call.ts'
import { ToolRunner } from './tool-runner.ts'
import type { NestedTask } from './tool.ts'

/**
 * The second station: answers the user's turns.
 *
 *   Hearing ─ turn ─▶ onTurn hook ─▶ history ─▶ mind: LLM, or realtime model ─ words or sound ─▶ Speaking
 *                                      │             ▲ └─▶ tools, handoff
 *                                      └─▶ input guardrails: may stop the reply
 */
export class Answering implements ToolActions {
  readonly agents: Agents
  readonly tools: ToolRunner
  readonly keypad: Keypad
  readonly #context: SessionContext
  readonly #speaking: Speaking
  readonly #guardrails: GuardrailRunner
  readonly #replies: Replies
  readonly #mind: Mind
  /** A reply begun before the turn was certain. */
  #prepared: Preparation | undefined
  /** The turn that is being answered. */
  #turn: TaskHandle<unknown> | undefined
  #overflowed = false
  /** Called when another agent is in charge. Set by `Hearing`. */
  onAgent: (agent: Agent) => void = noop

  constructor(context: SessionContext, speaking: Speaking) {
    this.#context = context
    this.#speaking = speaking
    this.agents = new Agents(context, speaking)
    this.tools = new ToolRunner(context, this.agents, this)
    this.keypad = new Keypad(context, speaking, (text) => this.say(text))
    this.#guardrails = new GuardrailRunner(context, speaking)
    this.#replies = new Replies(context)
    this.#mind = context.settings.models.realtime
      ? new RealtimeMind(context, this.agents, this.tools, this.#guardrails, speaking, this.#replies)
      : new Pipeline(context, this.agents, this.tools, this.#guardrails, speaking)
    this.agents.onChange = this.#agentChanged.bind(this)
  }

  #agentChanged(): void {
    const { agent } = this.agents.current
    this.#mind.agentChanged()
    this.keypad.agentChanged(agent)
    this.onAgent(agent)
  }

  async open(part: PartContext): Promise<void> {
    await this.#mind.open(part)
  }

  /** Takes the caller's sound, if the mind hears for itself. */
  get ear(): MindEar | undefined {
    return this.#mind.ear
  }

  /** Whether nothing is being thought or done. */
  get isIdle(): boolean {
    return this.#replies.open.length === 0 && !this.#mind.isExpecting && !this.#turn && !this.tools.isBusy
  }

  // ── turns ──

  /** Answers a turn of the user. */
  turn(turn: CommitCommand): void {
    const { scope, book, settings } = this.#context
    // A listener called on the way here may have closed the session.
    if (scope.state !== 'live') return
    const prepared = turn.preempted ? this.#prepared : undefined
    if (this.#prepared && !prepared) this.discard()
    this.#prepared = undefined
    this.#turn?.cancel('another turn')
    book.handoffs = 0
    const timing = new TurnTiming()
    timing.stopped = turn.stopped
    timing.turn = turn
    timing.takenAt = turn.committed
    book.waiting = timing
    book.turnCount++
    this.#context.movedAt = settings.clock.now()
    const task = scope.spawn(`turn ${book.turnCount}`, (self) => this.#answer(turn, prepared, timing, self))
    this.#turn = task
    task.result
      .catch((error: unknown) => {
        if (task.outcome === 'failed') this.#context.failed('turn', error)
      })
      .finally(() => {
        if (this.#turn === task) this.#turn = undefined
        this.#context.onFinished?.()
      })
      .catch(noop)
  }

  async #answer(
    { text, from }: CommitCommand,
    prepared: Preparation | undefined,
    timing: TurnTiming,
    task: TaskContext,
  ): Promise<void> {
    const { history, events, settings } = this.#context
    const { agent } = this.agents.current
    if (prepared) task.onCancel(() => prepared.task.cancel('the turn was interrupted'))
    let read = text
    try {
      if (agent.onTurn && text !== '') {
        timing.hookEndedAt = Infinity
        read = await task.until(this.agents.turn(text))
        timing.hookEndedAt = settings.clock.now()
      }
    } finally {
      // Even if the turn gets no answer: the user has said it.
      history.addUser(read, { at: settings.clock.date() })
      // A turn that only the model has heard is empty here: the model emits its words later.
      if (read !== '') events.emit('user', { text: read })
    }
    const usable = read === text ? prepared : undefined
    if (prepared && !usable) prepared.task.cancel('the turn was changed')
    if (this.#speaking.current) this.#speaking.noteHeard()
    const thought = {
      turn: { text: read, from },
      messages: history.toMessages(),
      options: {},
      prepared: usable,
    }
    const reply = this.#replies.begin({}, (self, thinking) => this.#mind.think(self, thought, thinking))
    if (agent.guardrails.input && read !== '') this.#guardrails.checkInput(read, agent, () => stop(reply))
  }

  /** Begins a reply before the turn has certainly ended. */
  prepare(text: string): void {
    if (this.#context.isOpen) this.#prepared = this.#mind.prepare(text)
  }

  /** The turn goes on: discards the reply begun by `prepare`. */
  discard(): void {
    this.#prepared?.task.cancel('the turn goes on')
    this.#prepared = undefined
  }

  // ── requests from the application, tools and hooks ──

  say(text: string | AsyncIterable<string>, options?: SpeechOptions): Speech {
    if (!this.#context.isOpen)
      return Speech.refused(new SessionClosedError('say anything', 'closing'), options)
    if (this.#speaking.isFull) return Speech.refused(this.#overflow(), options)
    this.#overflowed = false
    const { agent } = this.agents.current
    const watch = agent.guardrails.output && this.#guardrails.watch(agent)
    return this.#speaking.say(typeof text === 'string' ? once(text) : text, { agent, watch }, options).speech
  }

  /** Presses telephone keys (KY1). Throws if these are not keys. */
  async press(keys: string): Promise<PressOutcome> {
    checkKeys(keys)
    const refused = this.#context.isOpen
      ? this.#speaking.isFull && this.#overflow()
      : new SessionClosedError('press keys', 'closing')
    return refused ? notPressed(refused) : this.#speaking.press(keys, this.agents.current.agent)
  }

  /** Too many speeches are queued. Reported once until there is room again. */
  #overflow(): LimitError {
    const { queuedSpeeches } = limits
    const error = new LimitError(
      'queuedSpeeches',
      queuedSpeeches,
      'too many speeches are waiting to be spoken',
    )
    if (!this.#overflowed) this.#context.failed('say', error)
    this.#overflowed = true
    return error
  }

  /** Answers the conversation as it stands. */
  reply(options: ReplyOptions = {}): Reply {
    if (this.#speaking.current) this.#speaking.noteHeard()
    const thought = { messages: this.#context.history.toMessages(), options }
    return this.#replies.begin(options, (self, task) => {
      const think = (): Promise<void> => this.#mind.think(self, thought, task)
      // At once, unless replies begin each other: a close in between would find a reply that has not begun.
      return this.#context.burst.next(task.sleep)?.then(think) ?? think()
    })
  }

  /** Adds a text of the user that asks for no answer. The next answer takes it into account. */
  addText(text: string): void {
    const { history, settings } = this.#context
    if (history.addUser(text, { at: settings.clock.date() })) this.#mind.addText(text)
  }

  runTask<Result>(task: NestedTask<Result>, from: TaskContext): Promise<Result> {
    return this.agents.run(task, from)
  }

  /** Stops the agent's speech and replies. Throws if some of them are uninterruptible, unless forced (SP7). */
  interruptAll({ force = false } = {}): void {
    const { current } = this.#speaking
    const now = [...(current ? [current] : []), ...this.#replies.open]
    // Throws before anything is stopped.
    if (!force && now.some(({ interruptible, interrupted }) => !interruptible && !interrupted))
      throw new UninterruptibleError()
    this.interrupt(force)
  }

  /** Stops everything that may be interrupted (SP1), including queued speech, which no longer fits the conversation. */
  interrupt(force = false): void {
    // What is said later does not answer the turn.
    this.#context.book.waiting = undefined
    const { current, waiting } = this.#speaking
    for (const one of [...waiting, ...(current ? [current] : []), ...this.#replies.open])
      if (force || one.interruptible) one.interrupt({ force })
    this.#turn?.cancel('interrupted')
    this.discard()
  }
}

/** The outcome of keys that were not accepted. */
export async function notPressed(error: unknown): Promise<PressOutcome> {
  return { how: 'failed', confirmed: true, keys: '', error }
}
