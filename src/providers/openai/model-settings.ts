import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import type { ModelSettings } from '../openai-realtime/events.ts'

/** How much the model thinks before it answers. */
export type OpenAIReasoning = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** Whether the model may, must or must not call tools, or the one tool that it must call. */
export type OpenAIToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** What happens when the conversation exceeds the model's limit: it is cut, or the answer fails. */
export type OpenAITruncation =
  | 'auto'
  | 'disabled'
  | {
      /** The fraction of the limit that is kept, 0 to 1. Less is cut less often, so that more is cached. */
      readonly retain: number
      /** The limit, in tokens, without instructions and tools. Default: the model's. */
      readonly maxTokens?: number
    }

/** Options of the model's answers, passed on to the service. Defaults: the service's own. */
export interface OpenAIModelOptions {
  /** Per answer. */
  readonly maxOutputTokens?: number
  /** For models that reason, such as `gpt-realtime-2.1`. */
  readonly reasoning?: OpenAIReasoning
  readonly toolChoice?: OpenAIToolChoice
  /** Whether an answer may call several tools at once. For models that reason. */
  readonly parallelToolCalls?: boolean
  readonly truncation?: OpenAITruncation
}

export const modelNames: OptionNames<OpenAIModelOptions> = {
  maxOutputTokens: true,
  reasoning: true,
  toolChoice: true,
  parallelToolCalls: true,
  truncation: true,
}

const truncationNames: OptionNames<Extract<OpenAITruncation, object>> = { retain: true, maxTokens: true }
const toolChoiceNames: OptionNames<Extract<OpenAIToolChoice, object>> = { name: true }

/** Throws if the options of the model have a mistake. */
export function checkModelOptions(what: string, { truncation, toolChoice }: OpenAIModelOptions): void {
  if (typeof toolChoice === 'object') checkOptions(`${what}: toolChoice`, toolChoice, toolChoiceNames)
  if (typeof truncation !== 'object') return
  checkOptions(`${what}: truncation`, truncation, truncationNames)
  if (!(truncation.retain > 0 && truncation.retain <= 1))
    throw new OptionError(`${what}: truncation.retain is a fraction, above 0 and at most 1`)
}

export function modelSettings(options: OpenAIModelOptions): ModelSettings {
  const { maxOutputTokens, reasoning, toolChoice, parallelToolCalls, truncation } = options
  return {
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning } }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoiceOf(toolChoice) }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
    ...(truncation === undefined ? {} : { truncation: truncationOf(truncation) }),
  }
}

function toolChoiceOf(choice: OpenAIToolChoice): NonNullable<ModelSettings['tool_choice']> {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice
}

function truncationOf(truncation: OpenAITruncation): NonNullable<ModelSettings['truncation']> {
  if (typeof truncation === 'string') return truncation
  const { retain, maxTokens } = truncation
  const limits = maxTokens === undefined ? {} : { token_limits: { post_instructions: maxTokens } }
  return { type: 'retention_ratio', retention_ratio: retain, ...limits }
}
