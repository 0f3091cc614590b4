import {
  Channel,
  iterate,
  type LlmChunk,
  type LlmClient,
  type Message,
  type ToolDescription,
  type Usage,
} from '../parts/index.ts'
import { LimitError, type Scope, type TaskContext, type TaskHandle } from '../scope/index.ts'
import { Agent } from './agent.ts'
import { ToolError } from './errors.ts'
import type { History } from './history.ts'
import { Reply } from './reply.ts'
import type { Speech, SpeechOptions } from './speech.ts'
import type { ToolPlayout } from './tool.ts'
import type { ToolCall, ToolOutcome } from './tool-runner.ts'

/** What thinking needs of the session around it. */
export interface ThinkerHost {
  readonly scope: Scope<string>
  readonly llm: LlmClient
  readonly history: History
  /** Steps of tool calls in one answer, before it is stopped (TL6). */
  readonly maxToolSteps: number
  /** Who answers now, and with what. */
  agent(): { readonly agent: Agent; readonly tools: readonly ToolDescription[] }
  speak(text: AsyncIterable<string>, options?: SpeechOptions): Speech
  /** Calls back once, synchronously with what decides the outcome (TL2). */
  callTool(call: ToolCall, before: () => Promise<ToolPlayout>, done: (outcome: ToolOutcome) => void): void
  /** The answer that wanted the call was interrupted. */
  interruptTool(id: string): void
  /** `from` is the answer that wants it: when that is interrupted, nothing changes (AG4). */
  handOff(to: Agent, from: TaskContext): Promise<void>
  used(usage: Usage): void
  /** An answer has begun to think, or has come to its end. */
  changed(reply: Reply): void
}

export interface ReplyOptions extends SpeechOptions {
  instructions?: string | undefined
  prepared?: Preparation | undefined
}

/** An answer begun before the user's turn was sure. Nothing of it is seen until it is used. */
export interface Preparation {
  readonly text: string
  readonly chunks: Channel<LlmChunk>
  readonly task: TaskHandle<unknown>
}

/**
 * Thinks: asks the model, lets its words be spoken while they come, runs its tools, and asks again with their results.
 *
 *   messages ─▶ model ─▶ words ─▶ a speech
 *      ▲          └────▶ calls ─▶ tools ─┐
 *      └───────────── results ───────────┘   until there are no more calls
 */
export class Thinker {
  readonly #host: ThinkerHost
  #lastId = 0
  /** The answers in the making, and the tools each waits for. */
  readonly #replies = new Map<Reply, Set<string>>()

  constructor(host: ThinkerHost) {
    this.#host = host
  }

  /** The answers in the making. */
  get replies(): readonly Reply[] {
    return [...this.#replies.keys()]
  }

  /** Begins to answer the conversation as it stands, with extra instructions for this one answer if given. */
  reply(options: ReplyOptions = {}): Reply {
    let task: TaskHandle<void> | undefined
    const reply: Reply = new Reply(++this.#lastId, options, () => {
      task?.cancel('interrupted')
      for (const id of this.#replies.get(reply) ?? []) this.#host.interruptTool(id)
      this.#finish(reply, { how: 'interrupted' })
    })
    this.#replies.set(reply, new Set())
    try {
      task = this.#host.scope.spawn(`reply ${reply.id}`, (context) => this.#think(reply, options, context))
    } catch (error) {
      this.#replies.delete(reply)
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

  /** Begins to answer as if the user had said `text`, without a trace (preemptive generation). */
  prepare(text: string): Preparation {
    const chunks = new Channel<LlmChunk>()
    const request = this.#request([...this.#host.history.toMessages(), { role: 'user', text }])
    const task = this.#host.scope.spawn('prepare a reply', async (context) => {
      try {
        for await (const chunk of iterate(this.#host.llm.generate(request, context.signal), context))
          chunks.push(chunk)
        chunks.end()
      } catch (error) {
        chunks.fail(error)
        throw error
      }
    })
    // Its failure is the failure of whoever uses it.
    task.result.catch(() => {})
    return { text, chunks, task }
  }

  async #think(reply: Reply, options: ReplyOptions, context: TaskContext): Promise<void> {
    const { history, llm, maxToolSteps } = this.#host
    const messages = history.toMessages()
    let { prepared } = options
    context.onCancel(() => options.prepared?.task.cancel('interrupted'))
    for (let step = 0; ; step++) {
      const request = this.#request(messages, options.instructions)
      const source = prepared?.chunks ?? llm.generate(request, context.signal)
      prepared = undefined
      const { said, speech, calls } = await this.#listen(reply, source, options, context)
      if (said !== '') messages.push({ role: 'agent', text: said })
      if (calls.length === 0) return
      const mayCall = step < maxToolSteps
      const uses = calls.map((call) => (mayCall ? this.#use(reply, call, speech) : this.#refuse(call)))
      const outcomes = await context.until(Promise.all(uses))
      // Told once that there are no more tools, it called again.
      if (step > maxToolSteps)
        throw new LimitError('maxToolSteps', maxToolSteps, 'an answer called tools without end')
      for (const [index, call] of calls.entries()) {
        const { output, failed } = outcomes[index]!
        messages.push(
          { role: 'tool-call', ...call },
          { role: 'tool-result', id: call.id, name: call.name, output, failed },
        )
      }
      // Applied only here: the answer of an interrupted turn never gets this far (AG4).
      const next = outcomes.find(({ value }) => value instanceof Agent)?.value
      if (next instanceof Agent) return context.until(this.#host.handOff(next, context))
    }
  }

  /** Takes one answer of the model: its words go to the voice while they come, its calls are collected. */
  async #listen(
    reply: Reply,
    source: AsyncIterable<LlmChunk>,
    options: SpeechOptions,
    context: TaskContext,
  ): Promise<{ said: string; speech: Speech | undefined; calls: ToolCall[] }> {
    const calls: ToolCall[] = []
    let said = ''
    let words: Channel<string> | undefined
    let speech: Speech | undefined
    try {
      for await (const chunk of iterate(source, context)) {
        // It may have been on its way when the answer was interrupted.
        if (context.cancelled) throw context.signal.reason
        if (chunk.type === 'tool-call') calls.push({ id: chunk.id, name: chunk.name, input: chunk.input })
        else if (chunk.type === 'usage') this.#host.used(chunk.usage)
        else if (chunk.text !== '') {
          said += chunk.text
          if (!words) {
            words = new Channel()
            speech = this.#host.speak(words, options)
            reply.add(speech)
          }
          words.push(chunk.text)
        }
      }
      words?.end()
    } catch (error) {
      words?.fail(error)
      throw error
    }
    return { said, speech, calls }
  }

  /** Runs one call. Its result stands in the history also if nobody waits for it any more (TL4). */
  #use(reply: Reply, call: ToolCall, speech: Speech | undefined): Promise<ToolOutcome> {
    const id = this.#called(call)
    this.#replies.get(reply)?.add(id)
    return new Promise((resolve) => {
      // Under the history's own name for it: models use theirs again.
      this.#host.callTool(
        { ...call, id },
        () => playoutBefore(speech),
        (outcome) => {
          this.#replies.get(reply)?.delete(id)
          resolve(this.#returned(id, outcome))
        },
      )
    })
  }

  /** Too many calls: the model is told, and named the limit (TL6). */
  async #refuse(call: ToolCall): Promise<ToolOutcome> {
    const { maxToolSteps } = this.#host
    const why = `no more tools in this answer (limit maxToolSteps = ${maxToolSteps}): answer with what you have`
    const error = new ToolError('TOOL_LIMIT', why)
    return this.#returned(this.#called(call), { output: why, failed: true, error })
  }

  #called(call: ToolCall): string {
    const { history, scope } = this.#host
    const { agent } = this.#host.agent()
    return history.callTool({ ...call, call: call.id, at: scope.clock.date(), agent: agent.name }).id
  }

  #returned(id: string, outcome: ToolOutcome): ToolOutcome {
    const { history, scope } = this.#host
    const { value, failed } = outcome
    const output = value instanceof Agent ? `handed over to ${value.name}` : outcome.output
    history.endTool(id, { output, failed, at: scope.clock.date() })
    return { ...outcome, output }
  }

  #request(messages: readonly Message[], extra?: string) {
    const { agent, tools } = this.#host.agent()
    const instructions = extra === undefined ? agent.instructions : `${agent.instructions}\n\n${extra}`
    return { instructions, messages: [...messages], tools }
  }

  #finish(reply: Reply, outcome: { how: 'completed' | 'interrupted' | 'failed'; error?: unknown }): void {
    if (!this.#replies.delete(reply)) return
    reply.settle(outcome)
    this.#host.changed(reply)
  }
}

/** How the words before a tool fare: settles when they were heard, or at the moment they are interrupted (SP4). */
async function playoutBefore(speech: Speech | undefined): Promise<ToolPlayout> {
  if (!speech) return { how: 'nothing', stopped: true }
  await speech.untilInterrupted()
  if (speech.outcome) return { how: speech.outcome.how, stopped: true }
  return { how: 'interrupted', stopped: false }
}
