import type { Llm, LlmChunk, LlmClient, LlmRequest, PartContext } from '../../parts/index.ts'
import { ProviderError } from '../errors.ts'
import { OwnedRequest } from '../owned-request.ts'
import { chunkOf, verdictOn } from './answer.ts'
import { failureOf } from './failure.ts'
import type { CallOptions, FinishReason, LanguageModel, ProviderOptions } from './language-model.ts'
import { partsOf } from './parts.ts'
import { promptOf, toolsOf } from './prompt.ts'

export interface AiSdkLlmOptions {
  /** How it is called in reports and errors: the provider and the model unless set. */
  readonly name?: string
  /** Passed on to the model, as are the next two; the vendor's own default unless set. */
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly providerOptions?: ProviderOptions
}

/**
 * Any language model of the Vercel AI SDK.
 *
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * const llm = new AiSdkLlm(openai.chat('gpt-5-mini'), { temperature: 0.3 })
 * ```
 */
export class AiSdkLlm implements Llm {
  readonly name: string
  readonly #model: LanguageModel
  readonly #options: Omit<AiSdkLlmOptions, 'name'>

  constructor(model: LanguageModel, { name, ...options }: AiSdkLlmOptions = {}) {
    this.name = name ?? `${model.provider} ${model.modelId}`
    this.#model = model
    this.#options = options
  }

  async open(context: PartContext): Promise<LlmClient> {
    return { generate: (request, signal) => this.#generate(context, request, signal) }
  }

  async *#generate(
    { scope, logger }: PartContext,
    request: LlmRequest,
    signal: AbortSignal,
  ): AsyncGenerator<LlmChunk> {
    const own = new OwnedRequest(`request to '${this.name}'`, scope, signal)
    let finishReason: FinishReason | undefined
    let answered = false
    try {
      for await (const part of partsOf(this.name, this.#model, this.#call(request, own.signal), own)) {
        if (part.type === 'error') throw failureOf(this.name, part.error)
        if (part.type === 'finish') finishReason = part.finishReason
        const chunk = chunkOf(part)
        if (!chunk) continue
        answered ||= chunk.type !== 'usage'
        yield chunk
      }
    } finally {
      own.end()
    }
    const verdict = verdictOn(finishReason, answered)
    if (verdict.type === 'failed') throw new ProviderError(this.name, verdict.message, verdict)
    if (verdict.type === 'doubtful') logger.warn({ part: this.name }, verdict.message)
  }

  #call({ tools, ...request }: LlmRequest, abortSignal: AbortSignal): CallOptions {
    const prompt = promptOf({ tools, ...request })
    // An empty list is refused by some vendors.
    return { ...this.#options, prompt, ...(tools.length > 0 ? { tools: toolsOf(tools) } : {}), abortSignal }
  }
}
