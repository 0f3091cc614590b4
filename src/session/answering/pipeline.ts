import {
  FallbackError,
  type LlmChunk,
  type LlmClient,
  type LlmRequest,
  type Message,
  type PartContext,
  type VendorData,
} from '../../parts/index.ts'
import {
  Channel,
  LimitError,
  OptionError,
  TimeLimit,
  iterate,
  noop,
  type TaskContext,
} from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { AnswerTimeoutError } from '../errors.ts'
import type { AttachedData } from '../history/history.ts'
import { limits } from '../limits.ts'
import type { Speaking } from '../speaking/speaking.ts'
import type { Speech, SpeechOptions } from '../speaking/speech.ts'
import type { Agents } from './agents.ts'
import type { GuardrailRunner } from './guardrail-runner.ts'
import type { Mind, Preparation, Thought } from './mind.ts'
import type { ActiveReply } from './replies.ts'
import type { ReplyOptions } from './reply.ts'
import { endlessTools, nextAgent, type ToolRunner, type UsedTool } from './tool-runner.ts'
import type { ToolCall } from './tool.ts'

/**
 * A pipeline of separate STT, LLM and TTS models. This class is its middle: it asks the LLM, has the words spoken as they
 * arrive, runs the tools, and asks again with their results.
 *
 *   messages ─▶ LLM ─▶ words ─▶ Speaking
 *      ▲         └───▶ calls ─▶ tools ─┐
 *      └──────────── results ──────────┘   until there are no more calls
 */
export class Pipeline implements Mind {
  /** A pipeline only replies when asked to. */
  readonly isExpecting = false
  readonly #context: SessionContext
  readonly #agents: Agents
  readonly #tools: ToolRunner
  readonly #guardrails: GuardrailRunner
  readonly #speaking: Speaking
  #llm!: LlmClient

  constructor(
    context: SessionContext,
    agents: Agents,
    tools: ToolRunner,
    guardrails: GuardrailRunner,
    speaking: Speaking,
  ) {
    this.#context = context
    this.#agents = agents
    this.#tools = tools
    this.#guardrails = guardrails
    this.#speaking = speaking
  }

  async open(part: PartContext): Promise<void> {
    const { llm } = this.#context.settings.models
    this.#llm = await this.#context.opened('llm', llm!.open(this.#context.counting(part, llm!)), ['generate'])
  }

  prepare(text: string): Preparation {
    const source = { name: 'answer of the llm' }
    const chunks = new Channel<LlmChunk>()
    const { history, scope } = this.#context
    const request = this.#request([...history.toMessages(), { role: 'user', text }])
    const task = scope.spawn('prepare a reply', async (self) => {
      try {
        let count = 0
        for await (const chunk of iterate(this.#client.generate(request, self.signal), self, source)) {
          if (++count > limits.preparedChunks)
            throw new LimitError('preparedChunks', limits.preparedChunks, 'an answer has too many chunks')
          chunks.push(chunk)
        }
        chunks.end()
      } catch (error) {
        chunks.fail(error)
        throw error
      }
    })
    // If it fails, the reply that uses it fails.
    task.result.catch(noop)
    return { text, chunks, task }
  }

  /** The model of the agent in charge, or else the session's. */
  get #client(): LlmClient {
    return this.#agents.current.llm ?? this.#llm
  }

  /** No-op: every request carries the history. */
  addText(): void {}

  /** No-op: every request carries the current agent. */
  agentChanged(): void {}

  async think(reply: ActiveReply, thought: Thought, task: TaskContext): Promise<void> {
    const { messages, options, prepared } = thought
    const { maxToolSteps } = this.#context.settings
    if (prepared) task.onCancel(() => prepared.task.cancel('interrupted'))
    for (let step = 0; ; step++) {
      const early = step === 0 ? prepared : undefined
      const { said, vendor, speech, calls } = await this.#ask(reply, messages, options, task, early)
      if (said !== '' || vendor) messages.push({ role: 'agent', text: said, ...(vendor && { vendor }) })
      if (calls.length === 0) return
      const uses: UsedTool[] = []
      for (const call of calls) uses.push(this.#tools.use(reply, call, speech, step, uses[0]?.id))
      const outcomes = await task.until(Promise.all(uses.map(({ outcome }) => outcome)))
      // The last results asked the model not to call any more tools, but it did.
      if (step > maxToolSteps) throw endlessTools(maxToolSteps)
      messages.push(...calls.map((call) => ({ role: 'tool-call', ...call }) as const))
      for (const [index, { id, name }] of calls.entries()) {
        const { output, failed } = outcomes[index]!
        messages.push({ role: 'tool-result', id, name, output, failed })
      }
      // Applied only here: an interrupted reply never gets this far (AG4).
      const next = nextAgent(outcomes)
      if (next) return task.until(this.#agents.handOff(next, task))
    }
  }

  /** Asks the model. If it fails before it has said or called anything, it is asked once more (FA1). */
  async #ask(
    reply: ActiveReply,
    messages: readonly Message[],
    options: ReplyOptions,
    task: TaskContext,
    early: Preparation | undefined,
  ): Promise<Answer> {
    const { answerTimeout } = this.#context.settings
    const limit = new TimeLimit(task, answerTimeout, () => new AnswerTimeoutError('llm', answerTimeout))
    // Not the task's own signal: a model that is given up must stop, too.
    let model: AbortController | undefined
    const abort = (reason: unknown): void => model?.abort(reason)
    const off = task.onCancel(abort)
    limit.onTimeout = abort
    const generate = (): AsyncIterable<LlmChunk> => {
      model = new AbortController()
      return this.#client.generate(this.#request(messages, options.instructions), model.signal)
    }
    let begun = false
    const onBegun = (): void => {
      begun = true
      limit.moved()
    }
    try {
      try {
        return await this.#listen(reply, early?.chunks ?? generate(), options, task, limit, onBegun)
      } catch (error) {
        if (task.cancelled || begun || !mayRetry(error)) throw error
        abort(error)
        this.#context.failed('llm', error)
        return await this.#listen(reply, generate(), options, task, limit, onBegun)
      }
    } catch (error) {
      reply.modelFailed = !task.cancelled
      abort(error)
      throw error
    } finally {
      off()
      limit.release()
      // No-op if it has ended. An answer that failed, or was long enough, must not go on.
      early?.task.cancel('the answer has ended')
    }
  }

  /** Reads one answer of the model: passes its words to the voice as they arrive, and collects its tool calls. */
  async #listen(
    reply: ActiveReply,
    source: AsyncIterable<LlmChunk>,
    options: SpeechOptions,
    task: TaskContext,
    limit: TimeLimit,
    onBegun: () => void,
  ): Promise<Answer> {
    const { agent } = this.#agents.current
    const { llm = this.#context.settings.models.llm } = agent
    const calls: ToolCall[] = []
    let said = ''
    const attached: AttachedData = {}
    let vendorData = 0
    let words: Channel<string> | undefined
    let speech: Speech | undefined
    try {
      for await (const chunk of iterate(source, limit, { name: 'answer of the llm' })) {
        // The reply may have been interrupted while this chunk was on its way.
        if (task.cancelled) throw task.signal.reason
        if (!isChunk(chunk)) continue
        if (chunk.type === 'usage') this.#context.used(chunk.usage, llm!.name)
        else if (chunk.vendor) vendorData += chunk.vendor.data.length
        const vendor = chunk.type !== 'usage' && vendorData <= limits.vendorData ? chunk.vendor : undefined
        if (chunk.type === 'text' && vendor) attached.vendor = vendor
        if (chunk.type === 'usage' || (chunk.type === 'text' && chunk.text === '')) continue
        onBegun()
        if (chunk.type === 'tool-call') {
          const { id, name, input } = chunk
          calls.push({ id, name, input, ...(vendor && { vendor }) })
        }
        if (calls.length >= limits.toolCalls) break
        if (chunk.type !== 'text') continue
        const { text } = chunk
        said += text
        if (said.length > limits.speechText)
          throw new LimitError('speechText', limits.speechText, 'an answer has too many characters')
        if (!words) {
          words = new Channel()
          const watch = agent.guardrails.output && this.#guardrails.watch(agent)
          speech = this.#speaking.say(words, { agent, reply, watch, attached }, options).speech
        }
        words.push(text)
      }
      words?.end()
    } catch (error) {
      words?.fail(error)
      throw error
    }
    return { said, vendor: attached.vendor, speech, calls }
  }

  #request(messages: readonly Message[], extra?: string): LlmRequest {
    const { agent, descriptions: tools } = this.#agents.current
    const instructions = extra === undefined ? agent.instructions : `${agent.instructions}\n\n${extra}`
    return { instructions, messages: [...messages], tools }
  }
}

/** One answer of the model. */
interface Answer {
  readonly said: string
  /** What the vendor attached to the words. */
  readonly vendor: VendorData | undefined
  readonly speech: Speech | undefined
  readonly calls: readonly ToolCall[]
}

/** Whether the same request may succeed if it is made again at once. */
function mayRetry(error: unknown): boolean {
  if (error instanceof AnswerTimeoutError || error instanceof OptionError || error instanceof FallbackError)
    return false
  return !(error instanceof Error && 'retryable' in error && error.retryable === false)
}

/** Whether a chunk is what its type says. Whatever else a model yields must not be spoken (FA6). */
function isChunk(chunk: unknown): chunk is LlmChunk {
  if (typeof chunk !== 'object' || chunk === null) return false
  const { type, text, usage, id, name, input, vendor } = chunk as Record<string, unknown>
  if (vendor !== undefined && !isVendorData(vendor)) return false
  if (type === 'text') return typeof text === 'string'
  if (type === 'usage') return typeof usage === 'object' && usage !== null
  return type === 'tool-call' && [id, name, input].every((field) => typeof field === 'string')
}

function isVendorData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { model, data } = value as Record<string, unknown>
  return typeof model === 'string' && typeof data === 'string'
}
