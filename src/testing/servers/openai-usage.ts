import type { Usage } from '../../parts/index.ts'
import type { OpenAIConversation } from './openai-conversation.ts'
import type { OpenAIUsage } from './openai-events.ts'
import { wordsOf, type OpenAIItem } from './openai-items.ts'

/** The vendor counts one token for so many milliseconds of its own sound. */
const MS_PER_TOKEN = 50

/** What a response has cost: counted roughly, or as the script says. */
export function usageOf(
  conversation: OpenAIConversation,
  output: readonly OpenAIItem[],
  sounded: number,
  scripted: Usage = {},
): OpenAIUsage {
  const text_tokens = tokensIn(output)
  const audio_tokens = Math.ceil(sounded / MS_PER_TOKEN)
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
  return items.reduce((sum, item) => sum + Math.ceil(wordsOf(item).length / 4), 0)
}
