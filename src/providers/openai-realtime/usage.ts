import type { Usage } from '../../parts/index.ts'
import type { ServerUsage } from './events.ts'

export function usageOf({ input_tokens, output_tokens, input_token_details: details }: ServerUsage): Usage {
  return {
    ...(input_tokens === undefined ? {} : { inputTokens: input_tokens }),
    ...(output_tokens === undefined ? {} : { outputTokens: output_tokens }),
    ...(details?.cached_tokens === undefined ? {} : { cachedTokens: details.cached_tokens }),
  }
}
