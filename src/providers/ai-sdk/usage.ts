import type { Usage } from '../../parts/index.ts'
import type { ModelUsage } from './language-model.ts'

/** Converts the token counts; undefined if the provider sent none. */
export function usageOf(usage: ModelUsage | undefined): Usage | undefined {
  if (!usage) return undefined
  const { inputTokens: input, outputTokens: output, cachedInputTokens } = usage
  const cached = typeof input === 'object' ? input?.cacheRead : cachedInputTokens
  const all: Usage = {
    ...named('inputTokens', typeof input === 'object' ? input?.total : input),
    ...named('outputTokens', typeof output === 'object' ? output?.total : output),
    ...named('cachedTokens', cached),
  }
  return Object.keys(all).length > 0 ? all : undefined
}

/** A count that no model can reach is left out: it would use up a session's budget at once. */
const MAX_TOKENS = 1e9

function named(name: keyof Usage, value: number | undefined): Usage {
  const isCount = typeof value === 'number' && value >= 0 && value <= MAX_TOKENS
  return isCount ? { [name]: value } : {}
}
