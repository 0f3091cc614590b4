import type { Scope, TaskContext, TaskHandle } from '../scope/index.ts'
import { Reply, type ReplyOutcome } from './reply.ts'
import type { SpeechOptions } from './speech.ts'

export interface RepliesHost {
  readonly scope: Scope<string>
  /** The answer that wanted the call was interrupted. */
  interruptTool(id: string): void
  /** An answer has begun to think, or has come to its end. */
  changed(reply: Reply): void
}

/** The answers in the making: each is a task of the session, and knows the tools it waits for. */
export class Replies {
  readonly #host: RepliesHost
  readonly #tools = new Map<Reply, Set<string>>()
  #lastId = 0

  constructor(host: RepliesHost) {
    this.#host = host
  }

  get inTheMaking(): readonly Reply[] {
    return [...this.#tools.keys()]
  }

  /** Begins an answer that is over when `think` is. `stop` is called once, synchronously, if it is interrupted. */
  begin(
    options: SpeechOptions,
    think: (reply: Reply, context: TaskContext) => Promise<void>,
    stop: (reply: Reply) => void = () => {},
  ): Reply {
    let task: TaskHandle<void> | undefined
    const reply: Reply = new Reply(++this.#lastId, options, () => {
      task?.cancel('interrupted')
      stop(reply)
      for (const id of this.#tools.get(reply) ?? []) this.#host.interruptTool(id)
      this.#finish(reply, { how: 'interrupted' })
    })
    this.#tools.set(reply, new Set())
    try {
      task = this.#host.scope.spawn(`reply ${reply.id}`, (context) => think(reply, context))
    } catch (error) {
      this.#tools.delete(reply)
      throw error
    }
    task.result.then(
      () => this.#finish(reply, { how: 'completed' }),
      (error: unknown) => {
        const interrupted =
          reply.interrupted || task?.outcome === 'cancelled' || task?.outcome === 'abandoned'
        this.#finish(reply, interrupted ? { how: 'interrupted' } : { how: 'failed', error })
      },
    )
    this.#host.changed(reply)
    return reply
  }

  waitsFor(reply: Reply, tool: string): void {
    this.#tools.get(reply)?.add(tool)
  }

  waitsNoMoreFor(reply: Reply, tool: string): void {
    this.#tools.get(reply)?.delete(tool)
  }

  #finish(reply: Reply, outcome: ReplyOutcome): void {
    if (!this.#tools.delete(reply)) return
    reply.settle(outcome)
    this.#host.changed(reply)
  }
}
