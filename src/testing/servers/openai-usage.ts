import type { Usage } from '../../parts/index.ts'
import type { OpenAIConversation } from './openai-conversation.ts'
import type { OpenAIUsage } from './openai-events.ts'
import { textOf, type OpenAIItem } from './openai-items.ts'

/** The vendor counts one token per this many milliseconds of its own audio. */
const MS_PER_TOKEN = 50

/** The usage of a response: as scripted, or a rough count. */
export function usageOf(
  conversation: OpenAIConversation,
  output: readonly OpenAIItem[],
  duration: number,
  scripted: Usage = {},
): OpenAIUsage {
  const text_tokens = tokensIn(output)
  const audio_tokens = Math.ceil(duration / MS_PER_TOKEN)
  const before = conversation.items.filter((item) => !output.includes(item))
  const { inputTokens = tokensIn(before), outputTokens = text_tokens + audio_tokens } = scripted
  const { cachedTokens = 0 } = scripted
  return {
    total_tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_token_details: { text_tokens: inputTokens, audio_tokens: 0, cached_tokens: cachedTokens },
    output_token_details: { text_tokens, audio_tokens },
  }
}

function tokensIn(items: readonly OpenAIItem[]): number {
  return items.reduce((sum, item) => sum + Math.ceil(textOf(item).length / 4), 0)
}
