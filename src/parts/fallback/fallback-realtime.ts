import { checkOptions } from '../../scope/index.ts'
import { nameOf } from './fallback-models.ts'
import { fallbackReplayNames, type Fallback, type FallbackReplayOptions } from './fallback-options.ts'
import { FallbackRealtimeModel } from './fallback-realtime-model.ts'
import type { Realtime } from '../realtime.ts'
import { resampledRealtime } from '../resampled.ts'
import { VendorHealth } from './vendor-health.ts'

/**
 * Talks to the caller with the first model that works. When its connection is lost for good, the next model takes over with
 * the conversation so far. An answer that was cut has failed; one that had not begun is asked for again, and audio that was
 * not understood is heard again. Audio of the other models is converted from and to a format of the first. A model that failed
 * is asked last for a while, in all calls.
 *
 * ```ts
 * const realtime = fallbackRealtime([new OpenAIRealtime(), new GeminiLive()])
 * ```
 */
export function fallbackRealtime(
  models: readonly Realtime[],
  options: FallbackReplayOptions = {},
): Realtime & Fallback<Realtime> {
  checkOptions('fallbackRealtime', options, fallbackReplayNames)
  const name = nameOf(models, options)
  const health = new VendorHealth(options)
  return {
    name,
    members: models,
    hears: models[0]!.hears,
    speaks: models[0]!.speaks,
    writes: models.every(({ writes }) => writes === true),
    async open(context, setup, events) {
      const parts = models.map((model) => resampledRealtime(model, setup))
      const model = new FallbackRealtimeModel(name, parts, health, context, setup, events, options)
      await model.open()
      return model
    },
  }
}
