import { fallbackSttNames, type FallbackSttOptions } from './fallback-options.ts'
import { FallbackSttStream } from './fallback-stt-stream.ts'
import { resampledStt } from './resampled.ts'
import { nameOf } from './fallback-models.ts'
import type { Stt, SttEvents } from './stt.ts'
import { checkOptions } from '../scope/index.ts'

/**
 * Transcribes with the first model that works. When its stream fails, the next model is opened and the last few seconds
 * of audio are replayed to it. Audio for the other models is resampled from the rate of the first. The fallback ends
 * turns only if all models do.
 */
export function fallbackStt(models: readonly Stt[], options: FallbackSttOptions = {}): Stt {
  checkOptions('fallbackStt', options, fallbackSttNames)
  const name = nameOf(models, options)
  const { sampleRate } = models[0]!
  const endsTurns = models.every((model) => model.endsTurns === true)
  const parts = models.map((model) => resampledStt(model, sampleRate))
  return {
    name,
    sampleRate,
    endsTurns,
    async open(context, events) {
      const relayed = endsTurns ? events : withoutTurns(events)
      const stream = new FallbackSttStream(name, parts, context, relayed, options)
      await stream.open()
      return stream
    },
  }
}

function withoutTurns(events: SttEvents): SttEvents {
  return {
    interim: (text) => events.interim(text),
    final: (text) => events.final(text),
    endOfTurn: () => {},
    failed: (error) => events.failed(error),
  }
}
