import type { BatchSttOptions } from './batch-stt-options.ts'
import { BatchSttStream } from './batch-stt-stream.ts'
import type { PartContext } from './part.ts'
import { resampledVad } from './resampled.ts'
import type { Stt } from './stt.ts'

/**
 * A model that transcribes whole recordings as a streaming `Stt`: a VAD finds the stretches of speech, each is
 * transcribed when it ends, and their texts come in order. There is no interim text.
 */
export function batchStt(options: BatchSttOptions): Stt {
  const { name, sampleRate } = options
  const vad = resampledVad(options.vad, sampleRate)
  return {
    name,
    sampleRate,
    async open(context: PartContext, events) {
      const stream = new BatchSttStream(options, context, events)
      const detector = await vad.open(context, stream)
      stream.listensTo(detector)
      return context.scope.own(name, stream)
    },
  }
}
