import { fallbackReplayNames, type Fallback, type FallbackReplayOptions } from './fallback-options.ts'
import { FallbackSttStream } from './fallback-stt-stream.ts'
import { resampledStt } from '../resampled.ts'
import { nameOf } from './fallback-models.ts'
import { VendorHealth } from './vendor-health.ts'
import type { Stt, SttEvents } from '../stt.ts'
import { checkOptions, noop } from '../../scope/index.ts'

/**
 * Transcribes with the first model that works. When its stream fails, the next model is opened and the last few seconds
 * of audio are replayed to it. Audio for the other models is converted from a format of the first. The fallback ends
 * turns only if all models do. A model that failed is asked last for a while, in all calls.
 */
export function fallbackStt(
  models: readonly Stt[],
  options: FallbackReplayOptions = {},
): Stt & Fallback<Stt> {
  checkOptions('fallbackStt', options, fallbackReplayNames)
  const name = nameOf(models, options)
  const health = new VendorHealth(options)
  const endsTurns = models.every((model) => model.endsTurns === true)
  return {
    name,
    members: models,
    hears: models[0]!.hears,
    endsTurns,
    async open(context, events, setup) {
      const parts = models.map((model) => resampledStt(model, setup.format))
      const relayed = endsTurns ? events : withoutTurns(events)
      const stream = new FallbackSttStream(name, parts, health, context, relayed, setup, options)
      await stream.open()
      return stream
    },
  }
}

function withoutTurns(events: SttEvents): SttEvents {
  return { ...events, maybeEndOfTurn: noop, resumed: noop, endOfTurn: noop }
}
