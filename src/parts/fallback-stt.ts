import type { FallbackSttOptions } from './fallback-options.ts'
import { FallbackSttStream } from './fallback-stt-stream.ts'
import { resampledStt } from './resampled.ts'
import { nameOf } from './rota.ts'
import type { Stt, SttEvents } from './stt.ts'

/**
 * Listens with the first model that works. When its stream fails, the next one is opened, hears the last moments again,
 * and goes on. Models of other rates are resampled to that of the first; turns are ended by the models only if all of
 * them do.
 */
export function fallbackStt(models: readonly Stt[], options: FallbackSttOptions = {}): Stt {
  const name = nameOf(models, options)
  const { sampleRate } = models[0]!
  const endsTurns = models.every((model) => model.endsTurns === true)
  const parts = models.map((model) => resampledStt(model, sampleRate))
  return {
    name,
    sampleRate,
    endsTurns,
    async open(context, events) {
      const heeded = endsTurns ? events : withoutTurns(events)
      const stream = new FallbackSttStream(name, parts, context, heeded, options)
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
