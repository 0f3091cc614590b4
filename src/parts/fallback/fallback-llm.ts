import { fallbackNames, type Fallback, type FallbackOptions } from './fallback-options.ts'
import { FallbackStream } from './fallback-stream.ts'
import type { Llm, LlmChunk, LlmClient } from '../llm.ts'
import { nameOf } from './fallback-models.ts'
import { VendorHealth } from './vendor-health.ts'
import { checkOptions } from '../../scope/index.ts'

/**
 * Sends each request to the first model that works. If a model cannot be opened, fails, or yields no chunk in time, the
 * next one gets the request. After the first chunk an error is thrown, because half an answer has been given. A model that
 * failed is asked last for a while, in all calls.
 *
 * ```ts
 * const llm = fallbackLlm([openai('gpt-5.4-mini'), anthropic('haiku')], { firstWithin: 2_000 })
 * ```
 */
export function fallbackLlm(models: readonly Llm[], options: FallbackOptions = {}): Llm & Fallback<Llm> {
  checkOptions('fallbackLlm', options, fallbackNames)
  const name = nameOf(models, options)
  const health = new VendorHealth(options)
  return {
    name,
    members: models,
    async open(context) {
      const stream = new FallbackStream<LlmClient, LlmChunk>(
        name,
        models,
        health,
        context,
        options,
        attributed,
      )
      await stream.open()
      return {
        generate: (request, signal) =>
          stream.request(signal, (client, attempt) => client.generate(request, attempt.signal)),
      }
    },
  }
}

/** A chunk that is malformed is passed on as it is: the session ignores it (FA6). */
function attributed(chunk: LlmChunk | undefined, by: string): LlmChunk {
  if (chunk?.type !== 'usage') return chunk!
  return { ...chunk, usage: { by, ...chunk.usage } }
}
