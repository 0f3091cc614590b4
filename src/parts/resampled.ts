import {
  Resampler,
  nearestFormat,
  type AudioFormat,
  type AudioFrame,
  type SampleRate,
} from '../audio/index.ts'
import type { Stt } from './stt.ts'
import type { SpokenChunk, Tts } from './tts.ts'
import type { Vad } from './vad.ts'

/** Adapts an STT to audio of one format. */
export function resampledStt(stt: Stt, format: AudioFormat): Stt {
  const own = nearestFormat(format, stt.hears)
  return {
    name: stt.name,
    hears: [format],
    ...(stt.endsTurns === undefined ? {} : { endsTurns: stt.endsTurns }),
    async open(context, events, setup) {
      const stream = await stt.open(context, events, { ...setup, format: own })
      if (own.sampleRate === format.sampleRate) return stream
      return {
        push: resampling(format.sampleRate, own.sampleRate, (frame) => stream.push(frame)),
        flush: () => stream.flush(),
        configure: (change) => stream.configure(change),
        detach: () => stream.detach(),
      }
    },
  }
}

/** Adapts a VAD to audio of one format. */
export function resampledVad(vad: Vad, format: AudioFormat): Vad {
  const own = nearestFormat(format, vad.hears)
  return {
    name: vad.name,
    hears: [format],
    async open(context, events) {
      const stream = await vad.open(context, events, { format: own })
      if (own.sampleRate === format.sampleRate) return stream
      return { push: resampling(format.sampleRate, own.sampleRate, (frame) => stream.push(frame)) }
    },
  }
}

/** Adapts a TTS to one output format. */
export function resampledTts(tts: Tts, format: AudioFormat): Tts {
  const own = nearestFormat(format, tts.speaks)
  return {
    name: tts.name,
    speaks: [format],
    async open(context) {
      const voice = await tts.open(context, { format: own })
      if (own.sampleRate === format.sampleRate) return voice
      return {
        speak: (text, signal) =>
          resampledSpeech(own.sampleRate, format.sampleRate, voice.speak(text, signal)),
      }
    },
  }
}

/** Words stay with their chunk, although resampling delays the audio by a few milliseconds. No audio is lost. */
async function* resampledSpeech(
  from: SampleRate,
  to: SampleRate,
  chunks: AsyncIterable<SpokenChunk>,
): AsyncGenerator<SpokenChunk> {
  const resampler = new Resampler({ from, to })
  // A plain loop is enough: leaving it ends `chunks`, and the voice itself stops when the signal aborts.
  for await (const { frame, ...rest } of chunks) {
    yield { ...rest, frame: { samples: resampler.push(frame.samples), sampleRate: to } }
  }
  const samples = resampler.flush()
  if (samples.length > 0) yield { frame: { samples, sampleRate: to } }
}

function resampling(
  from: SampleRate,
  to: SampleRate,
  push: (frame: AudioFrame) => void,
): (frame: AudioFrame) => void {
  const resampler = new Resampler({ from, to })
  return (frame) => {
    const samples = resampler.push(frame.samples)
    if (samples.length > 0) push({ samples, sampleRate: to })
  }
}
