import { batchSttNames, type BatchSttOptions } from './batch-stt-options.ts'
import { BatchSttStream } from './batch-stt-stream.ts'
import type { PartContext } from './part.ts'
import { pcm } from '../audio/index.ts'
import { resampledVad } from './resampled.ts'
import type { Stt } from './stt.ts'
import { checkOptions } from '../scope/index.ts'

/**
 * Turns a model that transcribes whole recordings into a streaming `Stt`. A VAD finds the segments of speech, and each is
 * transcribed when it ends. Transcripts are emitted in order, without interim text.
 */
export function batchStt(options: BatchSttOptions): Stt {
  checkOptions('batchStt', options, batchSttNames)
  const { name, sampleRate } = options
  const format = pcm(sampleRate)
  const vad = resampledVad(options.vad, format)
  return {
    name,
    hears: [format],
    async open(context: PartContext, events) {
      const stream = new BatchSttStream(options, context, events)
      const detector = await vad.open(context, stream, { format })
      stream.useVad(detector)
      return context.scope.own(name, stream)
    },
  }
}
