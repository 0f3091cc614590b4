import { noop, type TaskContext, type TaskHandle } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { SessionClosedError, UninterruptibleError } from '../errors.ts'
import type { PlayoutOutcome, Speech, SpeechOptions } from '../speaking/speech.ts'
import type { Reply, ReplyOutcome } from './reply.ts'

/** A reply, as the minds see it. */
export class ActiveReply implements Reply {
  readonly id: number
  readonly interruptible: boolean
  readonly speeches: Speech[] = []
  readonly #finished: Promise<ReplyOutcome>
  readonly #onInterrupt = new Set<() => void>()
  /** Ends it as interrupted. Unset once it has ended, so that a reference to it does not keep the session in memory. */
  #end: (() => void) | undefined
  #settle!: (outcome: ReplyOutcome) => void
  #outcome: ReplyOutcome | undefined
  #interrupted = false
  /** Whether it was the model that failed, and not a tool or a handoff. Set by the mind. */
  modelFailed = false

  constructor(id: number, { interruptible = true }: SpeechOptions, end: () => void) {
    this.id = id
    this.interruptible = interruptible
    this.#end = end
    this.#finished = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** A reply that was not accepted: it has failed. */
  static refused(error: unknown, options: SpeechOptions = {}): ActiveReply {
    const reply = new ActiveReply(0, options, noop)
    reply.settle({ how: 'failed', error })
    return reply
  }

  get interrupted(): boolean {
    return this.#interrupted
  }

  get outcome(): ReplyOutcome | undefined {
    return this.#outcome
  }

  get finished(): Promise<ReplyOutcome> {
    return this.#finished
  }

  async waitForPlayout(): Promise<readonly PlayoutOutcome[]> {
    await this.#finished
    return Promise.all(this.speeches.map((speech) => speech.waitForPlayout()))
  }

  get hasEnded(): boolean {
    return this.#outcome !== undefined && this.speeches.every(({ outcome }) => outcome)
  }

  interrupt({ force = false } = {}): void {
    if (this.#interrupted || this.hasEnded) return
    if (!this.interruptible && !force) throw new UninterruptibleError()
    this.#interrupted = true
    for (const speech of this.speeches) speech.interrupt({ force: true })
    for (const callback of Array.from(this.#onInterrupt)) callback()
    this.#end?.()
  }

  /** The callback is called synchronously if the reply is interrupted. Returns an unsubscribe function. */
  onInterrupt(callback: () => void): () => void {
    this.#onInterrupt.add(callback)
    return () => this.#onInterrupt.delete(callback)
  }

  /** Sets the outcome. The first one counts. */
  settle(outcome: ReplyOutcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#end = undefined
    this.#onInterrupt.clear()
    this.#settle(outcome)
  }
}

/** The replies in progress. Each is a task of the session. */
export class Replies {
  readonly #context: SessionContext
  readonly #open = new Set<ActiveReply>()
  #lastId = 0
  /** Whether there are any, as last emitted. */
  #thinking = false

  constructor(context: SessionContext) {
    this.#context = context
  }

  get open(): readonly ActiveReply[] {
    return [...this.#open]
  }

  /** Begins a reply that ends when `think` does. If the session is closing, the reply has failed. */
  begin(
    options: SpeechOptions,
    think: (reply: ActiveReply, task: TaskContext) => Promise<void>,
  ): ActiveReply {
    const reply: ActiveReply = new ActiveReply(++this.#lastId, options, () =>
      this.#finish(reply, { how: 'interrupted' }),
    )
    let task: TaskHandle<void> | undefined
    reply.onInterrupt(() => task?.cancel('interrupted'))
    if (!this.#context.isOpen) return ActiveReply.refused(new SessionClosedError('reply', 'closing'), options)
    this.#open.add(reply)
    this.#changed()
    task = this.#context.scope.spawn(`reply ${reply.id}`, (self) => think(reply, self))
    task.result.then(
      () => this.#finish(reply, { how: 'completed' }),
      (error: unknown) => {
        const isCancelled = task?.outcome === 'cancelled' || task?.outcome === 'abandoned'
        const how = reply.interrupted || isCancelled ? 'interrupted' : 'failed'
        this.#finish(reply, how === 'failed' ? { how, error } : { how })
      },
    )
    return reply
  }

  #finish(reply: ActiveReply, outcome: ReplyOutcome): void {
    if (!this.#open.delete(reply)) return
    reply.settle(outcome)
    this.#changed()
    const { book } = this.#context
    // The turn has no spoken answer: what is said later is not one.
    if (outcome.how === 'completed' && this.#open.size === 0 && book.waiting?.speeches === 0)
      book.waiting = undefined
    const part = this.#context.settings.models.realtime ? 'realtime' : 'llm'
    if (outcome.how === 'completed' && this.#context.lastFailure) this.#context.partWorked(part)
    else if (outcome.how === 'failed')
      this.#context.partFailed(part, outcome.error, reply.modelFailed ? part : 'reply')
    this.#context.onFinished?.()
  }

  #changed(): void {
    const { turns, settings } = this.#context
    const replies = this.open
    this.#context.movedAt = settings.clock.now()
    const interruptible = replies.every((reply) => reply.interruptible)
    const thinking = replies.length > 0
    this.#context.onThinking?.(thinking)
    turns.handle({ type: 'agent-thinking', thinking, interruptible })
    if (thinking === this.#thinking) return
    this.#thinking = thinking
    this.#context.events.emit('thinking', { thinking })
  }
}
