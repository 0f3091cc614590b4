import { expect, it } from 'vitest'
import { UsageMeter } from './metrics.ts'

it('[RV3] what a session has used is reported as the difference to the last time, or not at all', () => {
  const meter = new UsageMeter()
  const used = (models: Record<string, object>): unknown => meter.next({ toolCalls: 0, turns: 0, models })
  expect(used({})).toBeUndefined()
  expect(used({ llm: { inputTokens: 100, outputTokens: 5 }, tts: { characters: 30 } })).toEqual({
    tokens: [{ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }],
    characters: [{ processor: 'tts', value: 30 }],
  })
  expect(used({ llm: { inputTokens: 150, outputTokens: 8 }, tts: { characters: 30 } })).toEqual({
    tokens: [{ prompt_tokens: 50, completion_tokens: 3, total_tokens: 53 }],
  })
  expect(used({ llm: { inputTokens: 150, outputTokens: 8 }, tts: { characters: 31 } })).toEqual({
    characters: [{ processor: 'tts', value: 1 }],
  })
})
