import type { FallbackOptions } from './fallback-options.ts'
import { FallbackStream } from './fallback-stream.ts'
import type { Llm, LlmChunk, LlmClient, LlmRequest } from './llm.ts'
import { nameOf } from './rota.ts'

/** The smallest request there is. */
const PING: LlmRequest = { instructions: '', messages: [{ role: 'user', text: 'Say ok.' }], tools: [] }

/**
 * Asks the first model that works. The next one is asked when a model cannot be opened, fails, or gives no chunk in
 * time; once its first chunk was given out, half an answer stands, and an error is an error.
 *
 * ```ts
 * const llm = fallbackLlm([openai('gpt-realtime-mini'), anthropic('haiku')], { firstWithin: 2_000 })
 * ```
 */
export function fallbackLlm(models: readonly Llm[], options: FallbackOptions = {}): Llm {
  const name = nameOf(models, options)
  return {
    name,
    async open(context) {
      const stream = new FallbackStream<LlmClient, LlmChunk>(
        name,
        models,
        context,
        options,
        (client, { signal }) => client.generate(PING, signal),
      )
      await stream.open()
      return {
        generate: (request, signal) =>
          stream.ask(signal, (client, attempt) => client.generate(request, attempt.signal)),
      }
    },
  }
}
