import {
  Channel,
  iterate,
  type LlmChunk,
  type LlmClient,
  type Message,
  type ToolDescription,
  type Usage,
} from '../parts/index.ts'
import { LimitError, type TaskContext, type TaskHandle } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import { Replies, type RepliesHost } from './replies.ts'
import type { Reply } from './reply.ts'
import type { Speech, SpeechOptions } from './speech.ts'
import type { ToolCall } from './tool-runner.ts'
import { ToolUse, nextAgent, type ToolUseHost } from './tool-use.ts'

/** What thinking needs of the session around it. */
export interface ThinkerHost extends RepliesHost, ToolUseHost {
  /** Who answers now, and with what. */
  agent(): { readonly agent: Agent; readonly tools: readonly ToolDescription[] }
  speak(text: AsyncIterable<string>, options?: SpeechOptions): Speech
  /** `from` is the answer that wants it: when that is interrupted, nothing changes (AG4). */
  handOff(to: Agent, from: TaskContext): Promise<void>
  used(usage: Usage): void
}

export interface ReplyOptions extends SpeechOptions {
  /** For this one answer. */
  instructions?: string | undefined
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
  readonly #llm: LlmClient
  readonly #replies: Replies
  readonly #tools: ToolUse

  constructor(host: ThinkerHost, llm: LlmClient) {
    this.#host = host
    this.#llm = llm
    this.#replies = new Replies(host)
    this.#tools = new ToolUse(host, this.#replies)
  }

  /** The answers in the making. */
  get replies(): readonly Reply[] {
    return this.#replies.inTheMaking
  }

  /** Begins to answer the conversation as it stands, or goes on with what was prepared. */
  reply(options: ReplyOptions = {}, prepared?: Preparation): Reply {
    return this.#replies.begin(options, (reply, context) => this.#think(reply, options, prepared, context))
  }

  /** Begins to answer as if the user had said `text`, without a trace (preemptive generation). */
  prepare(text: string): Preparation {
    const chunks = new Channel<LlmChunk>()
    const request = this.#request([...this.#host.history.toMessages(), { role: 'user', text }])
    const task = this.#host.scope.spawn('prepare a reply', async (context) => {
      try {
        for await (const chunk of iterate(this.#llm.generate(request, context.signal), context))
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

  async #think(
    reply: Reply,
    options: ReplyOptions,
    prepared: Preparation | undefined,
    context: TaskContext,
  ): Promise<void> {
    const { history, maxToolSteps } = this.#host
    const messages = history.toMessages()
    context.onCancel(() => prepared?.task.cancel('interrupted'))
    for (let step = 0; ; step++) {
      const request = this.#request(messages, options.instructions)
      const source = (step === 0 && prepared?.chunks) || this.#llm.generate(request, context.signal)
      const { said, speech, calls } = await this.#listen(reply, source, options, context)
      if (said !== '') messages.push({ role: 'agent', text: said })
      if (calls.length === 0) return
      const uses = calls.map((call) => this.#tools.use(reply, call, speech, step).outcome)
      const outcomes = await context.until(Promise.all(uses))
      // Told once that there are no more tools, it called again.
      if (step > maxToolSteps) throw endlessTools(maxToolSteps)
      for (const [index, call] of calls.entries()) {
        const { output, failed } = outcomes[index]!
        messages.push(
          { role: 'tool-call', ...call },
          { role: 'tool-result', id: call.id, name: call.name, output, failed },
        )
      }
      // Applied only here: the answer of an interrupted turn never gets this far (AG4).
      const next = nextAgent(outcomes)
      if (next) return context.until(this.#host.handOff(next, context))
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

  #request(messages: readonly Message[], extra?: string) {
    const { agent, tools } = this.#host.agent()
    const instructions = extra === undefined ? agent.instructions : `${agent.instructions}\n\n${extra}`
    return { instructions, messages: [...messages], tools }
  }
}

export const endlessTools = (maxToolSteps: number): LimitError =>
  new LimitError('maxToolSteps', maxToolSteps, 'an answer called tools without end')
