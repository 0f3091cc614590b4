import type { Llm, LlmChunk, LlmClient, LlmRequest, PartContext } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { withExtra, type Extra } from '../extra.ts'
import { ModelEndWarning } from '../model-ends.ts'
import { OwnedRequest } from '../owned-request.ts'
import { chunksOf, verdictOn } from './answer.ts'
import { Attachments } from './attachments.ts'
import { failureOf } from './failure.ts'
import type { CallOptions, FinishReason, LanguageModel, ProviderOptions } from './language-model.ts'
import { partsOf } from './parts.ts'
import { promptOf, toolsOf } from './prompt.ts'

export interface AiSdkLlmOptions {
  /** The name in reports and errors. Default: the provider and the model. */
  readonly name?: string
  /** Passed to the model. Default: the vendor's own. */
  readonly temperature?: number
  /** Passed to the model. Default: the vendor's own. */
  readonly maxOutputTokens?: number
  /** Passed to the model. */
  readonly providerOptions?: ProviderOptions
  /** Fields of the AI SDK's call, merged last into every request: `{ topP: 0.9, seed: 7 }`. */
  readonly extra?: Extra
}

const optionNames: OptionNames<AiSdkLlmOptions> = {
  name: true,
  temperature: true,
  maxOutputTokens: true,
  providerOptions: true,
  extra: true,
}

/**
 * Any language model of the Vercel AI SDK.
 *
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * const llm = new AiSdkLlm(openai.chat('gpt-5.4-mini'), { temperature: 0.3 })
 * ```
 */
export class AiSdkLlm implements Llm {
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly #model: LanguageModel
  readonly #modelEnd: ModelEndWarning
  readonly #options: Omit<AiSdkLlmOptions, 'name'>

  constructor(model: LanguageModel, options: AiSdkLlmOptions = {}) {
    checkOptions('AiSdkLlm', options, optionNames)
    const { name, ...passed } = options
    // The SDK itself also accepts the name of a model, which only its gateway understands.
    if (typeof (model as Partial<LanguageModel> | undefined)?.doStream !== 'function')
      throw new OptionError(
        "AiSdkLlm needs a model object of a provider, such as openai.chat('gpt-5.4-mini'), not " +
          (typeof model === 'string' ? `the name '${String(model)}'` : `a value of type ${typeof model}`),
      )
    this.name = name ?? `${model.provider} ${model.modelId}`
    // The AI SDK's names have the vendor first: `openai.chat`.
    this.provider = model.provider.split('.')[0]!
    this.model = model.modelId
    this.#model = model
    this.#modelEnd = new ModelEndWarning(this.name, this.provider, this.model)
    this.#options = passed
  }

  /** Identifies the model to which vendor data is returned. */
  get #id(): string {
    return `${this.#model.provider} ${this.#model.modelId}`
  }

  async open(context: PartContext): Promise<LlmClient> {
    this.#modelEnd.warn(context)
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
    const attachments = new Attachments(this.#id)
    try {
      for await (const part of partsOf(this.name, this.#model, this.#call(request, own.signal), own)) {
        if (part.type === 'error') throw failureOf(this.name, part.error)
        if (part.type === 'finish') finishReason = part.finishReason
        for (const chunk of chunksOf(part, attachments)) {
          answered ||= chunk.type === 'tool-call' || (chunk.type === 'text' && chunk.text !== '')
          yield chunk
        }
      }
    } finally {
      own.end()
    }
    const verdict = verdictOn(finishReason, answered)
    if (verdict.type === 'failed') throw new ProviderError(this.name, verdict.message, verdict)
    if (verdict.type === 'doubtful') logger.warn({ part: this.name }, verdict.message)
  }

  #call({ tools, ...request }: LlmRequest, abortSignal: AbortSignal): CallOptions {
    const prompt = promptOf({ tools, ...request }, this.#id)
    // Some vendors reject an empty list of tools.
    const { extra, ...options } = this.#options
    const call = { ...options, prompt, ...(tools.length > 0 ? { tools: toolsOf(tools) } : {}) }
    return { ...withExtra(call, extra), abortSignal }
  }
}
