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

function named(name: keyof Usage, value: number | undefined): Usage {
  return typeof value === 'number' ? { [name]: value } : {}
}
